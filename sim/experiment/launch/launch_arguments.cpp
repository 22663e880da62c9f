#include "sim/experiment/launch/launch_arguments.h"

#include <algorithm>
#include <array>

// The arguments of Megatron-LM and of MindSpeed(-LLM), as their public sources define them. Those that are used are read in
// megatron_*.cpp.
namespace a3sim {
namespace {

struct ArgumentGroup {
  ArgumentFate fate{};
  std::string_view what;
  std::string_view names;  // with blanks between them
};

using enum ArgumentFate;

constexpr ArgumentGroup kGroups[] = {
    {kUsed, "sizes of the model",
     "num-layers hidden-size ffn-hidden-size num-attention-heads group-query-attention num-query-groups "
     "kv-channels "
     "qk-layernorm vocab-size padded-vocab-size make-vocab-size-divisible-by "
     "untie-embeddings-and-output-weights swiglu geglu quick-geglu "
     "squared-relu mtp-num-layers mtp-num-layer noop-layers"},
    {kUsed, "attention of other kinds, which is refused",
     "full-attention-interval enable-dsa-indexer enable-dsa hybrid-override-pattern is-hybrid-model "
     "experimental-attention-variant "
     "linear-attention-freq use-sparse-flash-attn"
     " heterogeneous-layers-config-path heterogeneous-layers-config-encoded-json share-kvstates"
     " cla-share-factor"},
    {kUsed, "latent attention",
     "multi-latent-attention multi-head-latent-attention q-lora-rank kv-lora-rank qk-head-dim "
     "qk-nope-head-dim "
     "qk-pos-emb-head-dim qk-rope-head-dim v-head-dim"},
    {kUsed, "experts",
     "num-experts moe-router-topk moe-ffn-hidden-size moe-intermediate-size n-shared-experts "
     "moe-shared-expert-intermediate-size first-k-dense-replace moe-layer-freq moe-grouped-gemm "
     "moe-token-dispatcher-type moe-latent-size moe-expert-capacity-factor "
     "moe-pad-expert-input-to-capacity"},
    {kUsed, "layout over dies",
     "tensor-model-parallel-size pipeline-model-parallel-size context-parallel-size "
     "expert-model-parallel-size "
     "expert-tensor-parallel-size moe-tp-extend-ep sequence-parallel context-parallel-algo cp-comm-type "
     "num-layers-per-virtual-pipeline-stage num-virtual-stages-per-pipeline-rank num-layer-list "
     "decoder-first-pipeline-num-layers decoder-last-pipeline-num-layers "
     "account-for-embedding-in-pipeline-split "
     "account-for-loss-in-pipeline-split pipeline-model-parallel-layout schedules-method "
     "dualpipev-dw-detach"},
    {kUsed, "number of dies", "nproc-per-node nnodes worker-num local-worker-num world-size"},
    {kUsed, "batches", "seq-length micro-batch-size global-batch-size"},
    {kUsed, "recompute",
     "recompute-granularity recompute-method recompute-num-layers recompute-modules recompute-activations "
     "recompute-activation-function recompute-norm enable-recompute-layers-per-pp-rank mla-zero-memory"},
    {kUsed, "optimizer, and exchanges of gradients and weights",
     "use-distributed-optimizer swap-optimizer reuse-fp32-param overlap-grad-reduce overlap-param-gather "
     "accumulate-allreduce-grads-in-fp32 grad-reduce-in-bf16 use-torch-fsdp2"},
    {kUsed, "overlap of exchanges",
     "moe-fb-overlap moe-alltoall-overlap-comm overlap-moe-expert-parallel-comm use-ascend-mc2 "
     "use-ascend-coc "
     "tp-comm-overlap"},
    {kUsed, "fused operators",
     "use-fused-rmsnorm use-fused-swiglu use-fused-rotary-pos-emb gemm-gradient-accumulation-fusion "
     "no-gradient-accumulation-fusion no-rope-fusion no-bias-swiglu-fusion moe-router-fusion "
     "cross-entropy-loss-fusion "
     "use-flash-attn no-bias-dropout-fusion"},
    {kUsed, "types", "bf16 fp16 fp8 fp8-format fp8-recipe fp4-format"},
    {kDoesNotMatter, "logs, profiles and evaluation",
     "log-interval log-throughput log-params-norm log-memory-to-tensorboard log-timers-to-tensorboard "
     "log-progress "
     "log-batch-size-to-tensorboard log-validation-ppl-to-tensorboard log-world-size-to-tensorboard "
     "log-num-zeros-in-grad log-loss-scale-to-tensorboard log-learning-rate-to-tensorboard log-max-memory "
     "tensorboard-dir tensorboard-log-interval tensorboard-queue-size timing-log-level timing-log-option "
     "wandb-project wandb-exp-name wandb-save-dir eval-interval eval-iters profile profile-step-start "
     "profile-step-end "
     "profile-ranks profile-level profile-with-cpu profile-with-stack profile-with-memory "
     "profile-record-shapes "
     "profile-save-path profile-data-simplification use-pytorch-profiler log_dir log-dir tee redirects "
     "barrier-with-L1-time one-logger-async no-one-logger enable-one-logger disable-straggler-on-startup "
     "join"
     " log-memory-interval log-straggler log-energy moe-per-layer-logging rerun-mode"
     " result-rejected-tracker-filename error-injection-rate error-injection-type replication"
     " inprocess-restart exit-signal-handler skip-train test-mode"},
    {kDoesNotMatter, "data and tokenizer",
     "data-path train-data-path valid-data-path test-data-path data-cache-path split data-impl handler-name "
     "dataloader-type "
     "num-workers tokenizer-type tokenizer-name-or-path tokenizer-model tokenizer-padding-side "
     "tokenizer-not-use-fast "
     "vocab-file merge-file mmap-warmup no-shared-storage data-sharding mock-data "
     "no-create-attention-mask-in-dataloader "
     "append-eod no-mmap-bin-files num-dataset-builder-threads vocab-extra-ids input-layernorm-in-fp32 "
     "prompt-type prompt-type-path no-pad-to-seq-lengths max-samples overwrite-cache enable-thinking "
     "create-attention-mask-in-dataloader padding-samples shuffle cut-max-seqlen"
     " tiktoken-pattern tiktoken-num-special-tokens tiktoken-special-tokens legacy-tokenizer"
     " use-one-sent-docs full-validation per-split-data-args-path data-args-path fim-data"
     " fim-rate object-storage-cache-path s3-cache-path mid-level-dataset-surplus"
     " no-data-sharding sft sft-tokenizer-prompt-format no-shuffle"},
    {kDoesNotMatter, "checkpoints",
     "save load save-interval no-load-optim no-load-rng no-save-optim no-save-rng ckpt-format "
     "enable-hf2mg-convert "
     "model-type-hf exit-on-missing-checkpoint finetune use-dist-ckpt dist-ckpt-format async-save "
     "ckpt-assume-constant-structure "
     "auto-detect-ckpt-format ckpt-fully-parallel-load ckpt-fully-parallel-save no-ckpt-fully-parallel-save "
     "use-checkpoint-args "
     "no-initialization pretrained-checkpoint ckpt-step load-checkpoint-loosely dist-ckpt-strictness "
     "exit-interval "
     "exit-duration-in-mins save-retain-interval non-persistent-save-interval hf-cfg-dir mg-save-dir "
     "hf-load-dir "
     "mg-cache-dir"
     " ckpt-convert-format ckpt-convert-save ckpt-convert-update-legacy-dist-opt-format"
     " no-ckpt-fully-parallel-load use-tokenizer-model-from-checkpoint-args"},
    {kDoesNotMatter, "numbers of the optimizer and of initialisation",
     "lr min-lr lr-decay-style lr-warmup-iters lr-warmup-fraction lr-warmup-samples lr-warmup-init "
     "lr-decay-iters "
     "lr-decay-samples lr-wsd-decay-style lr-wsd-decay-iters weight-decay start-weight-decay "
     "end-weight-decay weight-decay-incr-style adam-beta1 "
     "adam-beta2 adam-eps clip-grad optimizer init-method-std init-method-xavier-uniform seed "
     "initial-loss-scale "
     "min-loss-scale loss-scale loss-scale-window hysteresis train-iters train-samples "
     "override-opt_param-scheduler override-opt-param-scheduler use-checkpoint-opt_param-scheduler "
     "attention-dropout hidden-dropout moe-aux-loss-coeff moe-z-loss-coeff mtp-loss-scaling-factor seq-aux "
     "moe-router-bias-update-rate moe-router-topk-scaling-factor routed-scaling-factor "
     "moe-router-score-function norm-topk-prob "
     "moe-router-enable-expert-bias moe-router-pre-softmax moe-router-dtype moe-input-jitter-eps "
     "moe-comm-aux-loss-coeff "
     "moe-device-level-aux-loss-coeff scale-emb scale-depth dim-model-base "
     "input-embeds-norm embedding-multiplier-scale output-multiplier-scale log-sum-exp "
     "attention-softmax-in-fp32 "
     "apply-query-key-layer-scaling no-query-key-layer-scaling attention-scaling is-instruction-dataset "
     "seq-first-aux global-aux"
     " decoupled-lr decoupled-min-lr embedding-init-method-std no-weight-decay-cond-type"
     " apply-wd-to-qk-layernorm calculate-per-token-loss qk-clip qk-clip-alpha"
     " perform-initialization"},
    {kDoesNotMatter, "positions, norms and biases: a few vector operations at most",
     "position-embedding-type use-rotary-position-embeddings rotary-base rotary-percent "
     "rotary-scaling-factor "
     "rotary-seq-len-interpolation-factor rotary-interleaved use-rotary-pos-emb beta-fast beta-slow "
     "rope-scaling-factor "
     "rope-scaling-mscale rope-scaling-mscale-all-dim rope-scaling-original-max-position-embeddings "
     "rope-scaling-type "
     "max-position-embeddings normalization norm-epsilon layernorm-epsilon disable-bias-linear add-qkv-bias "
     "add-bias-linear add-dense-bias skip-bias-add apply-layernorm-1p no-persist-layer-norm "
     "no-masked-softmax-fusion "
     "masked-softmax-fusion no-bias-gelu-fusion no-bias-linear-fusion partial-rotary-factor "
     "original-max-position-embeddings "
     "long-factor short-factor long-mscale short-mscale use-glm-rope yarn-scaling-factor"
     " no-position-embedding use-rope-scaling no-rope-freq mrope-section softmax-type"},
    {kDoesNotMatter, "numbers of norms, gates and the optimizer's implementation",
     "optimizer-selection topk-softmax-in-fp32 router-gating-in-fp32 shared-expert-gate "
     "moe-shared-expert-gate input-jitter "
     "add-output-layer-bias enable-high-availability qk-layernorm-eps attn-logit-softcapping "
     "final-logit-softcapping post-norm "
     "output-logit-softcapping add-rmsnorm-offset gelu-tanh no-enable-linear-bias use-qk-norm enable-gqa "
     "moe-router-fp32 "
     "moe-router-scaling-factor rope-scaling-beta-fast rope-scaling-beta-slow use-fused-adamw"},
    {kDoesNotMatter, "which of its rows an expert drops: how many is said by the capacity",
     "moe-token-drop-policy"},
    {kDoesNotMatter, "how processes start and meet",
     "node-rank node_rank master-addr master-port rdzv-id rdzv-backend rdzv-endpoint standalone max-restarts "
     "start-method "
     "distributed-backend distributed-timeout-minutes local-rank use-cpu-initialization disable-gloo-group "
     "use-mcore-models use-legacy-models transformer-impl spec no-async-tensor-model-parallel-allreduce "
     "lazy-mpu-init "
     "hccl-group-buffer hccl-group-buffer-adaptive cluster-time-out master_addr master_port hccl-slice-size "
     "use-deter-comp npu-deterministic deterministic-mode jit-compile te-rng-tracker is-pretrained "
     "no-check-for-nan-in-loss-and-grad check-for-nan-in-loss-and-grad "
     "check-weight-hash-across-dp-replicas-interval "
     "enable-ft-package calc-ft-timeouts no-barrier-with-level-1-timing manual-gc manual-gc-interval "
     "no-manual-gc-eval "
     "stage ai-framework bind-core msrun_log_dir cluster_time_out rank-table-file trust-remote-code"
     " nccl-communicator-config-path use-gloo-process-groups disable-gloo-process-groups"
     " enable-gloo-process-groups enable-experimental distributed-timeout-seconds-after-init"
     " high-priority-stream-groups hccl-ep-group-buffer-adaptive-factor empty-unused-memory-level"
     " inference-max-seq-length inference-batch-times-seqlen-threshold flash-decode"},
    {kNotModelled,
     "rows of experts go as `routing` says (balanced, unless it is set): what routers choose is not in a "
     "script",
     "moe-router-load-balancing-type moe-router-num-groups moe-router-group-topk n-group topk-group "
     "moe-router-force-load-balancing fix-router "
     "moe-router-padding-for-fp8 "
     "moe-dynamic-padding moe-no-drop enable-token-rearrange-opt hash-layers moe-n-hash-layers"
     " balanced-moe-experts balanced-moe-hot-expert-num trans-hot-expert-group-num"
     " moe-router-topk-limited-devices moe-router-force-biased"},
    {kNotModelled,
     "permutations of rows are kernels of the experts' exchange in any case, and hidden as step.overlap says",
     "moe-permutation-async-comm moe-permute-fusion moe-shared-expert-overlap moe-alltoall-mc2 moe-bmm-mc2 "
     "use-fused-moe-token-permute-and-unpermute moe-unperm2-mem-optim moe-unperm2-mem-optim-swap "
     "moe-hierarchical-alltoallv moe-experts-pipeline-degree moe-allgather-overlap-comm "
     "moe-allgather-combine "
     "use-fused-ring-attention-update use-cp-send-recv-overlap kv-head-repeat-before-uly-alltoall "
     "moe-deepep-num-sms moe-enable-deepep moe-flex-dispatcher-backend fb-overlap-attn"
     " use-pipe-experts pipe-experts-multi-data pipe-experts-multi-stream ampipe-degree"
     " ampipe-tp-sp-comm-overlap moe-apply-probs-on-input"},
    {kNotModelled, "memory that this saves or moves is counted as kept",
     "moe-zero-memory moe-zero-memory-num-layers swap-attention swap-modules adaptive-recompute-device-swap "
     "adaptive-recompute-device-size adaptive-recompute-profiling-step "
     "mtp-mem-efficient-logits smart-swap adaptive-memory-optimization use-precision-aware-optimizer "
     "exp-avg-dtype "
     "exp-avg-sq-dtype main-params-dtype main-grads-dtype optimizer-cpu-offload optimizer-offload-fraction "
     "prefetch swap-optimizer-times virtual-optimizer distribute-saved-activations "
     "fine-grained-activation-offloading offload-modules recompute-in-bubble recompute-in-advance "
     "recompute-activation-function-num-layers recompute-norm-num-layers swap-unperm2 moe-swap-unperm2"
     " moe-layer-recompute cpu-offloading cpu-offloading-num-layers overlap-cpu-optimizer-d2h-h2d"
     " recompute-mtp-norm recompute-mtp-layer activation-func-fp8-input-store"},
    {kNotModelled,
     "attention meets all of a sample's tokens here (step.documents cuts them into equal parts)",
     "reset-attention-mask reset-position-ids eod-mask-loss attention-mask-type sparse-mode pre-tockens "
     "next-tockens "
     "window-size sliding-window interleave-sliding-window variable-seq-lengths "
     "attention-mask-on-cpu pad-to-multiple-of neat-pack no-pad-to-seq-length use-sliding-window"},
    {kNotModelled, "when exchanges begin and in what pieces is as step.dp_overlap and step.bucket say",
     "ddp-bucket-size ddp-average-in-collective ddp-num-buckets num-distributed-optimizer-instances "
     "delay-grad-reduce "
     "no-delay-grad-reduce align-grad-reduce no-align-grad-reduce overlap-param-gather-with-optimizer-step "
     "no-align-param-gather align-param-gather data-parallel-sharding-strategy use-custom-fsdp "
     "use-megatron-fsdp "
     "layerzero layerzero-config no-overlap-p2p-communication overlap-p2p-communication-warmup-flush "
     "hierarchical-context-parallel-sizes quant-comm quant-grads quant-states "
     "ddp-pad-buckets-for-high-nccl-busbw suggested-communication-unit-size use-nd-matmul"},
    {kNotModelled, "a schedule or a cut that is not simulated",
     "optimize-vpp-send-recv-comm optimize-send-recv-comm automated-pipeline automated-pipeline-perf "
     "delay-wgrad-compute microbatch-group-size-per-virtual-pipeline-stage "
     " context-parallel-kv-cache-policy context-parallel-cache-interval "
     "ulysses-degree-in-cp cp-window-size attention-parallel-size use-ulysses-allgather-kv "
     "tp-2d tp-x tp-y enable-backward-overlap-ag-with-matmul enable-overlap-ag-with-matmul "
     "enable-overlap-matmul-with-rs "
     "coc-mode coc-parallel-num coc-fused-kernel pipeline-num-transformer-layers "
     "async-log-allreduce use-megatron-cp-alibi use-nanopipe nanopipe-swap "
     "use-multiparameter-pipeline-model-parallel unaligned-linear "
     " tp-comm-bulk-wgrad"
     " defer-embedding-wgrad-compute wgrad-deferral-limit overlap-p2p-communication"
     " tp-comm-overlap-cfg tp-comm-bootstrap-backend tp-comm-bulk-dgrad tp-comm-overlap-ag"
     " tp-comm-overlap-rs tp-comm-overlap-rs-dgrad tp-comm-split-ag tp-comm-split-rs enable-zero3"
     " ep-overlap-early-attn-memory-release rampup-batch-size decrease-batch-size-if-needed"
     " mtp-after-norm share-mtp-embedding-and-output-weight clone-scatter-output-in-embedding"},
    {kNotModelled, "products and attention take the time of this machine's own kernels",
     "mla-mm-split mla-fa-without-pad mla-swap-core-attn-out mla-fa-divide-qk mla-up-proj-tp-overlap "
     "recompute-mla-up-proj "
     "recompute-mla-up-proj-overlap-tp use-fusion-attn-v2 use-fused-mlp shape-order padded-base-length "
     "use-triton-gdn use-fused-lightning-indexer use-dsa-absorb "
     "use-fused-mhc enable-mhc npu-ops external-cuda-graph enable-cuda-graph cuda-graph-scope "
     "use-fused-sinkhorn use-quant-optimizer fp8-param-gather "
     "fp8-amax-history-len fp8-amax-compute-algo fp8-margin fp8-wgrad first-last-layers-bf16 "
     "num-layers-at-start-in-bf16 "
     "num-layers-at-end-in-bf16 no-fp8-wgrad lora-r lora-alpha lora-fusion lora-target-modules lora-load "
     "qlora "
     "use-tp-pp-dp-mapping"
     " attention-backend cross-entropy-fusion-impl fp16-lm-cross-entropy mla-down-proj-fusion"
     " moe-use-legacy-grouped-gemm megatron-cp-in-bnsd te-precision-config-file"
     " keep-fp8-transpose-cache use-nccl-ub o2-optimizer o2-gradient"},
};

struct ArgumentTable {
  std::vector<KnownArgument> rows;
  ArgumentTable() {
    for (const ArgumentGroup& group : kGroups) {
      std::string_view rest = group.names;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.size(), rest.find(' '));
        if (end > 0) rows.push_back({rest.substr(0, end), group.fate, group.what});
        rest.remove_prefix(std::min(rest.size(), end + 1));
      }
    }
    std::ranges::sort(rows, {}, &KnownArgument::name);
  }
};

}  // namespace

const KnownArgument* known_argument(std::string_view name) {
  static const ArgumentTable kArguments;
  const auto it = std::ranges::lower_bound(kArguments.rows, name, {}, &KnownArgument::name);
  return it != kArguments.rows.end() && it->name == name ? &*it : nullptr;
}

}  // namespace a3sim

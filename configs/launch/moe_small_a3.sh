#!/bin/bash
# A small MoE model on 64 dies, in the style of MindSpeed-LLM's scripts for A3: an example for `a3sim run --script`.
NPUS_PER_NODE=16
NNODES=4
TP=2
PP=4
EP=8
NUM_LAYERS=16
DISTRIBUTED_ARGS="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
MOE_ARGS="
    --num-experts 32 \
    --moe-router-topk 4 \
    --moe-ffn-hidden-size 512 \
    --n-shared-experts 2 \
    --first-k-dense-replace 2 \
    --moe-grouped-gemm \
    --expert-tensor-parallel-size 1
"
GPT_ARGS="
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size ${PP} \
    --expert-model-parallel-size ${EP} \
    --num-layers-per-virtual-pipeline-stage 2 \
    --sequence-parallel \
    --num-layers ${NUM_LAYERS} \
    --noop-layers 1,15 \
    --hidden-size 1024 \
    --ffn-hidden-size 2048 \
    --num-attention-heads 16 \
    --group-query-attention \
    --num-query-groups 4 \
    --kv-channels 128 \
    --seq-length 2048 \
    --micro-batch-size 1 \
    --global-batch-size 64 \
    --vocab-size 1001 \
    --make-vocab-size-divisible-by 100 \
    --swiglu \
    --use-fused-rmsnorm \
    --use-flash-attn \
    --mtp-num-layers 1 \
    --recompute-granularity full \
    --recompute-method block \
    --recompute-num-layers 1 \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --moe-alltoall-overlap-comm \
    --tokenizer-type PretrainedFromHF \
    --moe-router-load-balancing-type aux_loss \
    --bf16
"
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py $GPT_ARGS $MOE_ARGS | tee logs/x.log

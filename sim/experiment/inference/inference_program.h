#pragma once

#include <vector>

#include "sim/experiment/inference/layer_kernels.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// A step of inference on streams. One die stands for all, or one of attention and one of experts.
struct InferenceProgram {
  StreamProgram program;
  std::vector<InferenceKernel> kernels;
  std::vector<std::uint32_t> kernel_of;  // by task: index into `kernels`; kNone: the host
  std::vector<std::uint32_t> dies;       // by rank of the program

  const InferenceKernel* kernel(std::uint32_t task) const {
    return kernel_of[task] == kNone ? nullptr : &kernels[kernel_of[task]];
  }
};

// The kernels of the model's blocks in order, those of MTP once a draft.
struct InferenceLayers {
  std::vector<LayerKernels> kinds;   // each kind once
  std::vector<std::uint32_t> order;  // indices into `kinds`
};
InferenceLayers inference_layers(const InferencePlan& plan, const LayerWriter& writer);

// Writes all micro-batches, layer by layer.
InferenceProgram write_inference(const InferencePlan& plan, const Hardware& hardware,
                                 const InferenceLayers& layers);

}  // namespace a3sim

// The part of LibTorch's torch/torch.h that is used here, found before it: every unit instantiates what the whole holds (datasets,
// optimisers, a hundred modules), which is a third of its compilation.
#pragma once
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

// Holds the precompiled torch/torch.h; see CMakeLists.txt.

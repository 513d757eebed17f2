#include "hash_functions.inl"

namespace letterpress {

const HashKernels kHashAvx2{xxh3_64, xxh3_128, xxh3_update};

}  // namespace letterpress

// Followthrough: while a joint slows down, what hangs on it overshoots (acceleration skinning, equation 10).
//   linear   -D(v, a) k a
//   angular  D(w, alpha) bend(-k |alpha x r| / L, alpha / |alpha|, r)
#include "deform/acceleration.h"

void limberi_effect_followthrough(const limber_effect_block* block) {
    limberi_acceleration_share(block, true);
}

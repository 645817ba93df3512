// Force-included (-include) before the sources of @tensorflow/tfjs-node's addon, which are compiled unchanged.
//
// On x86 without AMX, oneDNN's float matrix product (jit_avx_gemm_f32, jit_avx512_common_gemm_f32) points the stack
// register into a heap buffer while it runs. A signal handler that runs then writes its frame over the heap: SIGTERM,
// SIGCHLD or a profiler's SIGPROF end in "corrupted size vs. prev_size". So signals wait while TensorFlow computes, and
// TensorFlow's own threads, which inherit the mask of the thread that starts them, never take one.
#ifndef STOKER_SIGNAL_GUARD_H_
#define STOKER_SIGNAL_GUARD_H_

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/eager/c_api.h"

namespace stoker {

class SignalGuard {
 public:
  SignalGuard() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalGuard() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  sigset_t before_;
};

template <typename Function, typename... Values>
auto Guarded(Function function, Values... values) -> decltype(function(values...)) {
  SignalGuard guard;
  return function(values...);
}

}  // namespace stoker

#define TFE_NewContext(...) stoker::Guarded(TFE_NewContext, __VA_ARGS__)
#define TFE_Execute(...) stoker::Guarded(TFE_Execute, __VA_ARGS__)
#define TFE_TensorHandleCopyToDevice(...) stoker::Guarded(TFE_TensorHandleCopyToDevice, __VA_ARGS__)
#define TFE_TensorHandleResolve(...) stoker::Guarded(TFE_TensorHandleResolve, __VA_ARGS__)
#define TF_LoadSessionFromSavedModel(...) stoker::Guarded(TF_LoadSessionFromSavedModel, __VA_ARGS__)
#define TF_SessionRun(...) stoker::Guarded(TF_SessionRun, __VA_ARGS__)
#define TF_DeleteSession(...) stoker::Guarded(TF_DeleteSession, __VA_ARGS__)

#endif  // STOKER_SIGNAL_GUARD_H_

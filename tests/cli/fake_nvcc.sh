#!/bin/sh
# Stands for nvcc where there is no GPU: tests/cli/operator_gpu_test.py. FAKE_NVCC is a folder: `log` gets a line for every
# call, with its words; where there is a file `fails`, compiling prints its text and fails. What is "compiled" is an
# instance that runs on the host, instance.c of that folder.
echo "$*" >>"$FAKE_NVCC/log"
out='' last='' define=''
for word; do
  case $last in -o) out=$word ;; esac
  case $word in -DORDO_RUN_TIME_SCHEDULER=*) define=$word ;; esac
  last=$word
done
case " $* " in
  *' --version '*) cat "$FAKE_NVCC/version" ;;
  *' -E '*) cat "$last" ;;
  *)
    if [ -f "$FAKE_NVCC/fails" ]; then
      sed "s|FILE|$last|" "$FAKE_NVCC/fails" >&2
      exit 2
    fi
    exec cc -std=c11 -O1 -shared -fPIC -fvisibility=hidden "$define" "-I$FAKE_INCLUDE" -o "$out" "$FAKE_NVCC/instance.c"
    ;;
esac

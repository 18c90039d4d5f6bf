// larmor_gateway for MATLAB R2018a and later: a mex file with interleaved complex numbers.
#include "gateway.hpp"

#include <mex.h>

#include <cstring>

namespace {

using larmor_gateway::Value;

Value value_of(const mxArray* given) {
  Value value;
  if (mxIsChar(given)) {
    value.kind = Value::Kind::text;
    char* text = mxArrayToString(given);
    if (text != nullptr) value.text = text;
    mxFree(text);
    return value;
  }
  const mwSize* dims = mxGetDimensions(given);
  value.dims.assign(dims, dims + mxGetNumberOfDimensions(given));
  if (mxIsComplex(given) && mxIsSingle(given)) {
    value.kind = Value::Kind::complex_single;
    value.data = mxGetComplexSingles(given);
  } else if (mxIsComplex(given) && mxIsDouble(given)) {
    value.kind = Value::Kind::complex_double;
    value.data = mxGetComplexDoubles(given);
  } else if (mxIsDouble(given)) {
    value.kind = Value::Kind::real_double;
    value.data = mxGetDoubles(given);
  } else {
    // Real numbers of class single: no function accepts them, and the message says what is expected.
    value.kind = Value::Kind::real_double;
    value.dims = {0, 0};
  }
  return value;
}

mxArray* new_array(Value::Kind kind, const std::vector<std::int64_t>& extents) {
  std::vector<mwSize> dims(extents.begin(), extents.end());
  return mxCreateUninitNumericArray(dims.size(), dims.data(),
                                    kind == Value::Kind::complex_single ? mxSINGLE_CLASS : mxDOUBLE_CLASS,
                                    kind == Value::Kind::real_double ? mxREAL : mxCOMPLEX);
}

}  // namespace

void mexFunction(int result_count, mxArray* results[], int count, const mxArray* given[]) {
  // MATLAB must not unload this file while objects exist.
  if (!mexIsLocked()) {
    mexLock();
    mexAtExit(larmor_gateway::release_all);
  }
  char message[1024] = "";
  {
    std::vector<Value> values;
    for (int i = 0; i < count; ++i) values.push_back(value_of(given[i]));
    int made = 0;
    const auto give = [&](mxArray* array) {
      // The first result exists even if the caller requested none.
      if (made < result_count || made == 0) results[made] = array;
      ++made;
      return array;
    };
    larmor_gateway::Host host;
    host.array = [&](Value::Kind kind, const std::vector<std::int64_t>& extents) -> void* {
      return mxGetData(give(new_array(kind, extents)));
    };
    host.text = [&](const std::string& text) { give(mxCreateString(text.c_str())); };
    // MATLAB has no documented way to ask whether Ctrl-C was pressed.
    host.interrupted = [] { return false; };
    try {
      larmor_gateway::call(values, host);
    } catch (const std::exception& thrown) {
      std::strncpy(message, thrown.what(), sizeof message - 1);
    }
  }
  // mexErrMsgIdAndTxt does not return, so C++ objects must be destroyed before.
  if (message[0] != '\0') mexErrMsgIdAndTxt("larmor:error", "%s", message);
}

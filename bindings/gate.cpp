// How errors leave the core and how Ctrl-C gets in.
#include "gate.hpp"

#include <new>
#include <stdexcept>

namespace arcwise::bindings {
namespace {

const char* python_class(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::argument:
            return "ArgumentError";
        case ErrorKind::data:
            return "DataError";
        case ErrorKind::file_format:
            return "FileFormatError";
        case ErrorKind::numerical:
            return "NumericalError";
        case ErrorKind::capacity:
            return "CapacityError";
        case ErrorKind::interrupted:
            break;
    }
    return "ArcwiseError";
}

// Where nobody could say beforehand how much it would take, or another process took it.
void raise_capacity() {
    const nb::object type = nb::module_::import_("arcwise.errors").attr("CapacityError");
    PyErr_SetString(type.ptr(),
                    "there is not enough memory for this; ask for less at once, or give fewer "
                    "candidate parents");
}

}  // namespace

void register_errors() {
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const Error& error) {
            const nb::object type =
                nb::module_::import_("arcwise.errors").attr(python_class(error.kind()));
            // A message may quote a file that is not in UTF-8; PyErr_SetString would raise nothing
            // but an empty error then.
            const std::string message = error.what();
            const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
                message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
            PyErr_SetObject(type.ptr(), text.ptr());
        } catch (const std::bad_alloc&) {
            raise_capacity();
        } catch (const std::length_error&) {
            raise_capacity();
        }
    });
}

bool PythonMonitor::proceed(double fraction_done) {
    const nb::gil_scoped_acquire acquire;
    try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (!progress_.is_none()) progress_(fraction_done);
        return true;
    } catch (...) {
        raised_ = std::current_exception();
        return false;
    }
}

}  // namespace arcwise::bindings

# A tool-info module of BenchExec for Cubist. Where to put it, and how to call it: docs/c.md.

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import get_data_model_from_task, ILP32, LP64


class Tool(benchexec.tools.template.BaseTool2):
    REQUIRED_PATHS = ["bin", "lib"]

    def name(self):
        return "Cubist"

    def executable(self, tool_locator):
        return tool_locator.find_executable("cubist", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="cubist")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", *options]
        model = get_data_model_from_task(task, {ILP32: "ilp32", LP64: "lp64"})
        if model and "--data-model" not in options:
            command += ["--data-model", model]
        if task.property_file:
            command += ["--property", task.property_file]
        if rlimits.cputime and "--timeout" not in options:
            # Answers come before the limit does.
            command += ["--timeout", str(max(1, int(rlimits.cputime * 0.95)))]
        return [*command, task.single_input_file]

    def determine_result(self, run):
        # What was said and how it ended must agree: anything else is no verdict.
        said = {line.split(None, 1)[0].rstrip(".,:") for line in run.output if line.strip()}
        code = run.exit_code.value
        # Runs with undefined behaviour count in competitions: a proof that leaves them out is none.
        if any(line.startswith("Safe, provided that ") for line in run.output):
            return result.RESULT_UNKNOWN
        if code == 0 and "Safe" in said:
            return result.RESULT_TRUE_PROP
        if code == 10 and "Unsafe" in said:
            return result.RESULT_FALSE_PROP
        if code == 20 and "Unknown" in said:
            text = "".join(line for line in run.output if line.startswith("Unknown:"))
            return "TIMEOUT" if "time limit" in text else result.RESULT_UNKNOWN
        if code == 2:
            return "ERROR (input)"
        if code == 70:
            return "ERROR (internal)"
        return result.RESULT_ERROR

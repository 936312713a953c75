//! Writes the text of a harness.

use interpret::{InputPurpose, RecordedInput, RunEnvironment, RunOutcome};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use system::program::{
    Argument, Bits, Body, Callee, Float, Integer, Place, ProcedureId, Program, PropertyId, PropertyKind, Root, Scalar,
    Selector, Step, Type, TypeId, Value, VariableId, arguments, is_determined,
};

/// A program as preprocessed C text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in reports.
    pub name: String,
    /// The preprocessed text.
    pub text: String,
    /// The functions with bodies.
    pub defined: Vec<String>,
    /// The linker symbols of functions that declare one.
    pub symbols: BTreeMap<String, String>,
    /// The function where runs begin.
    pub entry: String,
    /// Labels that must not be reached.
    pub labels: Vec<String>,
    /// `-m32` or `-m64`.
    pub machine: &'static str,
}

/// Why a run cannot be written as a C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritable {
    /// The violation is that of a rule about calls.
    Rule,
    /// The run reads an uninitialized variable with this value.
    Uninitialized(i128),
    /// The run accesses memory at this address.
    Fixed(u64),
    /// The run accesses memory behind the end of an object.
    Behind,
    /// This procedure takes or returns a record, or an integer that is too wide.
    Interface(String),
    /// The run makes a choice for this reason of the front end.
    Choice(String),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::Rule => f.write_str("the rule is no part of the C program"),
            Unwritable::Uninitialized(value) => {
                write!(f, "the run reads an uninitialized variable and takes {value} for it")
            }
            Unwritable::Fixed(address) => {
                write!(
                    f,
                    "the run uses memory at the address {address:#x}, where gcc's program has none"
                )
            }
            Unwritable::Behind => {
                f.write_str("the run uses memory behind the end of an object, where gcc's program has something else")
            }
            Unwritable::Interface(name) => write!(f, "`{name}` has no body, and takes or returns records"),
            Unwritable::Choice(name) => write!(f, "the run rests on what `{name}` gives"),
        }
    }
}

/// The prefix of input functions.
const INPUT: &str = "__VERIFIER_nondet_";

/// Writes the harness of a violating run.
pub fn text(
    program: &Program,
    source: &Source,
    outcome: &RunOutcome,
    property: PropertyId,
) -> Result<String, Unwritable> {
    if program[property].kind == PropertyKind::Rule {
        return Err(Unwritable::Rule);
    }
    if let Some(address) = outcome.fixed.first() {
        return Err(Unwritable::Fixed(*address));
    }
    if !outcome.behind.is_empty() {
        return Err(Unwritable::Behind);
    }
    let mut writer = Writer {
        program,
        source,
        run: &outcome.from_outside,
        objects: 0,
        values: Vec::new(),
        functions: 0,
        text: String::new(),
    };
    writer.number_objects()?;
    writer.head(program, property);
    writer.program_text();
    writer.ends();
    writer.errors();
    writer.objects();
    writer.input_functions()?;
    writer.unknown_functions()?;
    writer.main()?;
    Ok(writer.text)
}

struct Writer<'a> {
    program: &'a Program,
    source: &'a Source,
    run: &'a RunEnvironment,
    /// The number of input pointers that point at objects of their own.
    objects: usize,
    /// The inputs as C expressions.
    values: Vec<String>,
    /// The number of functions defined so far, which their names contain.
    functions: usize,
    text: String,
}

impl Writer<'_> {
    fn number_objects(&mut self) -> Result<(), Unwritable> {
        for asked in &self.run.asked {
            if asked.purpose == InputPurpose::Uninitialized && asked.value != 0 {
                return Err(Unwritable::Uninitialized(asked.value));
            }
            let value = self.value(asked)?;
            self.values.push(value);
        }
        Ok(())
    }

    /// An input as a C expression.
    fn value(&mut self, asked: &RecordedInput) -> Result<String, Unwritable> {
        let too_wide = || Unwritable::Interface("a number that is too wide".to_owned());
        Ok(match asked.scalar {
            Scalar::Integer(integer) if integer.bits > 64 => return Err(too_wide()),
            Scalar::Integer(integer) => number(integer, asked.value),
            Scalar::Float(_) => float(asked.value),
            Scalar::Pointer if asked.value == interpret::inputs::OUTSIDE => {
                self.objects += 1;
                let start = interpret::inputs::OUTSIDE_START;
                format!("(void *)(cubist_object_{} + {start})", self.objects - 1)
            }
            Scalar::Pointer => format!("(void *){:#x}", asked.value),
        })
    }

    fn head(&mut self, program: &Program, property: PropertyId) {
        let Source { name, machine, .. } = self.source;
        let options = crate::options(machine).join(" ");
        let _ = write!(
            self.text,
            "/* {name} with the inputs of a run that violates {}. It ends with status {} there:\n\
             \x20  gcc {options} THIS_FILE.c -o harness && ./harness\n\
             \x20  Made by Cubist. The program is as the preprocessor left it; what Cubist adds stands behind it. */\n",
            program[property].name.replace("*/", "* /"),
            crate::REACHED
        );
        self.text.push_str("void cubist_reached(void);\n");
        // Fresh memory is zero.
        if !self.is_defined("malloc") {
            self.text.push_str("#define malloc cubist_malloc\n");
        }
    }

    fn is_defined(&self, function: &str) -> bool {
        self.source.defined.iter().any(|name| name == function)
    }

    /// The program, with a call after each label that must not be reached.
    fn program_text(&mut self) {
        let text = &crate::promises::without_promises(&self.source.text);
        if !text.starts_with('#') {
            let _ = writeln!(self.text, "# 1 {:?}", self.source.name);
        }
        let mut copied = 0;
        for label in labels(text, &self.source.labels) {
            self.text.push_str(text.get(copied..label).unwrap_or(""));
            self.text.push_str(" cubist_reached();");
            copied = label;
        }
        self.text.push_str(text.get(copied..).unwrap_or(""));
        self.text.push_str(&self.emitted());
        self.text.push_str("\n#undef malloc\n# 1 \"harness\"\n");
    }

    /// Another declaration of each function: without one, C does not require a definition of an inline function to be
    /// emitted, and gcc emits none.
    fn emitted(&self) -> String {
        if !self.source.text.contains("inline") {
            return String::new();
        }
        let functions = self.source.defined.iter();
        functions
            .map(|name| format!("\nextern __typeof__({name}) {name};"))
            .collect()
    }

    /// The functions that end the harness.
    fn ends(&mut self) {
        let _ = write!(
            self.text,
            "#define CUBIST __attribute__((no_instrument_function))\n\
             extern void cubist_exit(int) __asm__(\"_Exit\");\n\
             extern long cubist_write(int, const void *, __SIZE_TYPE__) __asm__(\"__write\");\n\
             CUBIST static void cubist_end(int status, const char *text) {{\n\
             \x20 __SIZE_TYPE__ length = 0;\n\
             \x20 while (text[length]) length++;\n\
             \x20 cubist_write(2, text, length);\n\
             \x20 cubist_exit(status);\n\
             }}\n\
             CUBIST void cubist_reached(void) {{ cubist_end({}, \"the violation is reached\\n\"); }}\n\
             CUBIST static void cubist_left(const char *text) {{ cubist_end(11, text); }}\n",
            crate::REACHED
        );
        if !self.is_defined("malloc") {
            self.text.push_str(
                "extern void *cubist_calloc(__SIZE_TYPE__, __SIZE_TYPE__) __asm__(\"calloc\");\n\
                 void *cubist_zeroed(__SIZE_TYPE__ size) __asm__(\"cubist_malloc\");\n\
                 CUBIST void *cubist_zeroed(__SIZE_TYPE__ size) { return cubist_calloc(1, size); }\n",
            );
        }
    }

    /// Defines a function with the symbol of one of the program's.
    fn define(&mut self, name: &str, result: &str, parameters: &str, body: &str) {
        let number = self.functions;
        self.functions += 1;
        let name = self.source.symbols.get(name).map_or(name, String::as_str);
        let _ = writeln!(
            self.text,
            "{result} cubist_{number}({parameters}) __asm__(\"{name}\");\n\
             CUBIST {result} cubist_{number}({parameters}) {{{body}}}"
        );
    }

    /// Defines the error functions and the assumptions of the program.
    fn errors(&mut self) {
        let properties = &self.program.properties;
        let called: BTreeSet<&str> = properties
            .iter()
            .filter(|property| property.kind == PropertyKind::ErrorCall)
            .filter_map(|property| property.name.strip_suffix("()"))
            .collect();
        let has_assertions = properties
            .iter()
            .any(|property| property.kind == PropertyKind::Assertion);
        let reached = " cubist_reached(); ";
        for name in &called {
            if !self.is_defined(name) {
                self.define(name, "void", "void", reached);
            }
        }
        let failed = match has_assertions {
            true => reached,
            false => " cubist_left(\"an assertion fails\\n\"); ",
        };
        for name in ["__assert_fail", "__assert"] {
            if !self.is_defined(name) {
                self.define(name, "void", "void", failed);
            }
        }
        let conditional = [
            ("__VERIFIER_assert", failed),
            ("__VERIFIER_assume", " cubist_left(\"an assumption fails\\n\"); "),
        ];
        for (name, otherwise) in conditional {
            if !self.is_defined(name) {
                self.define(name, "void", "int holds", &format!(" if (!holds) {{{otherwise}}} "));
            }
        }
        // Error functions with bodies of their own: gcc reports their entry (-finstrument-functions).
        let own: Vec<String> = called
            .iter()
            .filter(|name| self.is_defined(name))
            .map(|name| format!(" if (function == (void *){name}) cubist_reached();"))
            .collect();
        let _ = writeln!(
            self.text,
            "CUBIST void __cyg_profile_func_enter(void *function, void *from) {{{} }}\n\
             CUBIST void __cyg_profile_func_exit(void *function, void *from) {{ }}",
            own.join("")
        );
    }

    fn objects(&mut self) {
        for number in 0..self.objects {
            let _ = writeln!(
                self.text,
                "static char cubist_object_{number}[{}] __attribute__((aligned(16)));",
                interpret::inputs::OUTSIDE_BYTES
            );
        }
        self.text.push_str(
            "CUBIST static void cubist_bits(char *at, int first, int width, unsigned long long value) {\n\
             \x20 for (int bit = 0; bit < width; bit++) {\n\
             \x20   char *byte = at + (first + bit) / 8, mask = 1 << (first + bit) % 8;\n\
             \x20   *byte = (value >> bit & 1) ? *byte | mask : *byte & ~mask;\n\
             \x20 }\n\
             }\n",
        );
    }

    /// Defines `__VERIFIER_nondet_*`: each returns its values in order.
    fn input_functions(&mut self) -> Result<(), Unwritable> {
        let mut given: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (procedure, _, step) in steps(self.program) {
            if let Step::Choose { name, .. } = step
                && procedure != self.program.start
                && name.starts_with(INPUT)
            {
                given.entry(name).or_default();
            }
        }
        for (number, asked) in self.run.asked.iter().enumerate() {
            if let Some((procedure, name, _)) = self.chosen(asked)
                && procedure != self.program.start
            {
                match given.get_mut(name) {
                    Some(numbers) => numbers.push(number),
                    None => return Err(Unwritable::Choice(name.to_owned())),
                }
            }
        }
        for (name, numbers) in given {
            if self.is_defined(name) {
                continue;
            }
            let result = format!("__typeof__({name}())");
            let values: Vec<&str> = numbers.iter().map(|number| self.values[*number].as_str()).collect();
            let left = format!("cubist_left(\"{name} is called more often than in the run\\n\");");
            let body = match values.is_empty() {
                true => format!(" {left} __builtin_unreachable(); "),
                false => format!(
                    "\n  static const __typeof__({name}()) values[] = {{ {} }};\n  static unsigned next;\n  \
                     if (next == sizeof values / sizeof *values) {left}\n  return values[next++];\n",
                    values.join(", ")
                ),
            };
            self.define(name, &result, "void", &body);
        }
        Ok(())
    }

    /// The procedure, the name and the place of a choice.
    fn chosen(&self, asked: &RecordedInput) -> Option<(ProcedureId, &str, &Place)> {
        let InputPurpose::Choice { edge: Some(edge) } = asked.purpose else {
            return None;
        };
        let automaton = self.program[edge.procedure].body.automaton()?;
        let location = automaton.locations.get(edge.location.index())?;
        match &location.edges.get(edge.number as usize)?.step {
            Step::Choose { target, name } => Some((edge.procedure, name, target)),
            _ => None,
        }
    }

    /// Defines external functions: the n-th call repeats what it did in the run.
    fn unknown_functions(&mut self) -> Result<(), Unwritable> {
        let program = self.program;
        for (number, procedure) in program.procedures.iter().enumerate() {
            let is_input = matches!(procedure.body, Body::Library(system::program::Library::Input));
            if !(matches!(procedure.body, Body::Unknown) || is_input) || self.is_defined(&procedure.name) {
                continue;
            }
            let is_known = procedure.name == "start"
                || procedure.name.starts_with(INPUT) && !is_input
                || is_determined(&procedure.name);
            if is_known {
                continue;
            }
            let id = ProcedureId(u32::try_from(number).unwrap_or(u32::MAX));
            let calls: Vec<usize> = (0..self.run.calls.len())
                .filter(|call| self.run.calls[*call] == id)
                .collect();
            let result = match procedure.result {
                Some(variable) => self.interface(program[variable].type_id),
                None => Some("void".to_owned()),
            };
            let parameters: Option<Vec<String>> = procedure
                .parameters
                .iter()
                .enumerate()
                .map(|(number, variable)| Some(format!("{} a{number}", self.interface(program[*variable].type_id)?)))
                .collect();
            let (Some(result), Some(parameters)) = (result, parameters) else {
                if calls.is_empty() {
                    continue;
                }
                return Err(Unwritable::Interface(procedure.name.clone()));
            };
            let parameters = match parameters.is_empty() {
                true => "void".to_owned(),
                false => parameters.join(", "),
            };
            let body = self.calls(&procedure.name, &calls, result != "void");
            self.define(&procedure.name, &result, &parameters, &body);
        }
        Ok(())
    }

    fn calls(&self, name: &str, calls: &[usize], has_result: bool) -> String {
        let left = format!("cubist_left(\"{name} is called more often than in the run\\n\");");
        let mut body = "\n  static unsigned calls;\n  switch (calls++) {\n".to_owned();
        for (number, call) in calls.iter().enumerate() {
            let _ = write!(body, "  case {number}:");
            let mut returned = "0";
            for (asked, value) in self.run.asked.iter().zip(&self.values) {
                match asked.purpose {
                    InputPurpose::Written {
                        call: of,
                        argument,
                        offset,
                        bits,
                    } if of == *call => {
                        let at = format!("(char *)a{argument} + {offset}");
                        let _ = write!(body, " {}", write(&at, asked.scalar, bits, value));
                    }
                    InputPurpose::Result { call: of } if of == *call => returned = value,
                    _ => {}
                }
            }
            let _ = match has_result {
                true => writeln!(body, " return {returned};"),
                false => writeln!(body, " return;"),
            };
        }
        let _ = write!(body, "  }}\n  {left}\n");
        if has_result {
            body.push_str("  __builtin_unreachable();\n");
        }
        body
    }

    /// The type in the calling convention. None where that depends on more than the type.
    fn interface(&self, type_id: TypeId) -> Option<String> {
        Some(match &self.program.types[type_id] {
            Type::Void => "void".to_owned(),
            Type::Integer(integer) => integer_name(*integer)?.to_owned(),
            Type::Float(Float::Single) => "float".to_owned(),
            Type::Float(Float::Double) => "double".to_owned(),
            Type::Float(Float::Extended { .. }) => "long double".to_owned(),
            Type::Pointer(_) | Type::Array { .. } | Type::Procedure { .. } => "void *".to_owned(),
            Type::Record(_) => return None,
        })
    }

    /// Initialises external variables and starts the program: before `main`, which keeps its name.
    fn main(&mut self) -> Result<(), Unwritable> {
        let program = self.program;
        let arguments = self.arguments()?;
        let mut names: BTreeMap<VariableId, String> = BTreeMap::new();
        for (_, _, step) in steps(program).filter(|(procedure, ..)| *procedure == program.start) {
            if let Step::Choose { target, name } = step
                && !is_of_main(name)
                && let Root::Variable(variable) = target.root
            {
                let argument = arguments.iter().find(|argument| argument.variable == Some(variable));
                let name = argument.map_or(&program[variable].name, |argument| &argument.text);
                names.insert(variable, name.clone());
            }
        }
        for (variable, name) in &names {
            let declaration = match arguments.iter().find(|argument| argument.variable == Some(*variable)) {
                Some(argument) => format!("static {} {name};", argument.type_name),
                None => format!("__typeof__({name}) {name};"),
            };
            let _ = writeln!(self.text, "{declaration}");
        }
        let mut body = String::new();
        for (asked, value) in self.run.asked.iter().zip(&self.values) {
            if let Some((procedure, name, place)) = self.chosen(asked)
                && procedure == program.start
                && !is_of_main(name)
            {
                let (variable, offset, bits) =
                    position(program, place).ok_or_else(|| Unwritable::Choice(name.to_owned()))?;
                let at = format!("(char *)&{} + {offset}", names[&variable]);
                let _ = writeln!(body, "  {}", write(&at, asked.scalar, bits, value));
            }
        }
        let entry = &self.source.entry;
        let arguments: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let _ = writeln!(
            self.text,
            "CUBIST __attribute__((constructor)) void cubist_run(void) {{\n{}{body}  {entry}({});\n  \
             cubist_left(\"the program ends\\n\");\n}}",
            self.given_to_main(),
            arguments.join(", ")
        );
        if !self.is_defined("main") {
            self.text.push_str("int main(void) {\n  return 0;\n}\n");
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// The value of a choice at the start of the run.
    fn chosen_at_start(&self, wanted: &str) -> Option<i128> {
        let mut chosen = self.run.asked.iter().filter_map(|asked| {
            let (procedure, name, _) = self.chosen(asked)?;
            (procedure == self.program.start && name == wanted).then_some(asked.value)
        });
        chosen.next()
    }

    /// The number of arguments of `main`.
    fn count(&self) -> i128 {
        let most = i128::from(arguments::MOST);
        self.chosen_at_start(arguments::NUMBER)
            .map_or(1, |chosen| 1 + chosen.rem_euclid(most + 1))
    }

    /// The arguments and the environment of the run.
    fn given_to_main(&self) -> String {
        let mut text = "  static char argument_0[64] = \"program\";\n".to_owned();
        let mut vector = "argument_0".to_owned();
        for argument in 1..=usize::from(arguments::MOST) {
            let characters = (0..arguments::CHARACTERS).map(|position| {
                self.chosen_at_start(&arguments::character(argument, position))
                    .unwrap_or(0)
                    .to_string()
            });
            let characters: Vec<String> = characters.collect();
            let _ = writeln!(
                text,
                "  static char argument_{argument}[64] = {{ {} }};",
                characters.join(", ")
            );
            let present = (argument as i128) < self.count();
            let _ = write!(
                vector,
                ", {}",
                if present {
                    format!("argument_{argument}")
                } else {
                    "0".to_owned()
                }
            );
        }
        let _ = write!(
            text,
            "  static char *arguments[] = {{ {vector}, 0 }};\n\
             \x20 static char variable[64] = \"CUBIST=1\", *environment[64] = {{ variable }};\n"
        );
        text
    }
}

/// Whether a choice belongs to the arguments of `main`.
fn is_of_main(name: &str) -> bool {
    name == arguments::NUMBER || name.starts_with("argv[")
}

/// An argument of the entry function.
struct FirstArgument {
    /// The variable that holds it, if it is a free choice.
    variable: Option<VariableId>,
    type_name: String,
    /// As a C expression.
    text: String,
}

impl Writer<'_> {
    fn arguments(&self) -> Result<Vec<FirstArgument>, Unwritable> {
        let program = self.program;
        let calls = steps(program).filter(|(procedure, ..)| *procedure == program.start);
        let given = calls.filter_map(|(_, _, step)| match step {
            Step::Call {
                callee: Callee::Procedure(callee),
                arguments,
                ..
            } if program[*callee].name == self.source.entry => Some((*callee, arguments)),
            _ => None,
        });
        let Some((callee, given)) = given.last() else {
            return Ok(Vec::new());
        };
        let mut arguments = Vec::new();
        for (number, (parameter, argument)) in program[callee].parameters.iter().zip(given).enumerate() {
            let type_id = program[*parameter].type_id;
            let record = || Unwritable::Choice(format!("{}, which takes records,", self.source.entry));
            let type_name = self.interface(type_id).ok_or_else(record)?;
            let is_known = self.source.entry == "main" && number < 3;
            let variable = match argument {
                Argument::Scalar(value) if !is_known => read_in(value),
                _ => None,
            };
            let text = match (variable, number, &program.types[type_id]) {
                (Some(_), ..) => format!("cubist_argument_{number}"),
                (None, 0, Type::Integer(_)) => self.count().to_string(),
                (None, 1, Type::Pointer(_)) => "arguments".to_owned(),
                (None, 2, Type::Pointer(_)) => "environment".to_owned(),
                _ => "0".to_owned(),
            };
            arguments.push(FirstArgument {
                variable,
                type_name,
                text,
            });
        }
        Ok(arguments)
    }
}

/// A variable that a value is computed from.
fn read_in(value: &Value) -> Option<VariableId> {
    let mut found = None;
    value.clone().for_each_mut(&mut |part| {
        if let Value::Read { place, .. } = part
            && let Root::Variable(variable) = place.root
        {
            found = Some(variable);
        }
    });
    found
}

/// The steps of a program.
fn steps(program: &Program) -> impl Iterator<Item = (ProcedureId, usize, &Step)> {
    program.procedures.iter().zip(0..).flat_map(|(procedure, number)| {
        let locations = procedure
            .body
            .automaton()
            .map(|automaton| automaton.locations.as_slice());
        let edges = locations.unwrap_or_default().iter().enumerate();
        edges.flat_map(move |(at, location)| {
            location
                .edges
                .iter()
                .map(move |edge| (ProcedureId(number), at, &edge.step))
        })
    })
}

/// The variable of a place, with offset and bits.
fn position(program: &Program, place: &Place) -> Option<(VariableId, u64, Option<Bits>)> {
    let Root::Variable(variable) = place.root else {
        return None;
    };
    let (mut type_id, mut offset, mut bits) = (program[variable].type_id, 0, None);
    for selector in &place.selectors {
        match (selector, &program.types[type_id]) {
            (Selector::Field(number), Type::Record(record)) => {
                let field = program.types[*record].fields.get(*number)?;
                offset += field.offset;
                bits = field.bits;
                type_id = field.type_id;
            }
            (Selector::Index(index), Type::Array { element, .. }) => {
                let Value::Integer { value, .. } = **index else {
                    return None;
                };
                offset += u64::try_from(value).ok()? * program.types.size(*element)?;
                type_id = *element;
            }
            _ => return None,
        }
    }
    Some((variable, offset, bits))
}

/// A statement that stores a value.
fn write(at: &str, scalar: Scalar, bits: Option<Bits>, value: &str) -> String {
    if let Some(Bits { first, width }) = bits {
        return format!("cubist_bits({at}, {first}, {width}, {value});");
    }
    let name = match scalar {
        Scalar::Integer(integer) => integer_name(integer).unwrap_or("int"),
        Scalar::Float(Float::Single) => "float",
        Scalar::Float(_) => "double",
        Scalar::Pointer => "void *",
    };
    format!("*({name} *)({at}) = {value};")
}

fn integer_name(integer: Integer) -> Option<&'static str> {
    Some(match (integer.bits, integer.is_signed) {
        (1, _) => "_Bool",
        (2..=8, true) => "signed char",
        (2..=8, false) => "unsigned char",
        (9..=16, true) => "short",
        (9..=16, false) => "unsigned short",
        (17..=32, true) => "int",
        (17..=32, false) => "unsigned",
        (33..=64, true) => "long long",
        (33..=64, false) => "unsigned long long",
        _ => return None,
    })
}

fn number(integer: Integer, value: i128) -> String {
    let value = integer.wrap(value);
    match (integer.bits, integer.is_signed) {
        (..=31, _) => value.to_string(),
        (_, false) => format!("{value}ull"),
        // The minimum has no literal.
        _ if value == i128::from(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
        _ => format!("{value}ll"),
    }
}

/// A float given by the bits of a double.
fn float(value: i128) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let float = f64::from_bits(value as u64);
    match float {
        _ if float.is_nan() => "__builtin_nan(\"\")".to_owned(),
        _ if float.is_infinite() && float > 0.0 => "__builtin_inf()".to_owned(),
        _ if float.is_infinite() => "-__builtin_inf()".to_owned(),
        _ => format!("{float:e}"),
    }
}

/// The positions after these labels, where their statements begin.
fn labels(text: &str, names: &[String]) -> Vec<usize> {
    if names.is_empty() {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric();
    let (mut found, mut position, mut before) = (Vec::new(), 0, b';');
    while position < bytes.len() {
        let byte = bytes[position];
        match byte {
            // A directive of the preprocessor.
            b'#' => position += text[position..].find('\n').unwrap_or(text.len() - position),
            b'"' | b'\'' => {
                position += 1;
                while position < bytes.len() && bytes[position] != byte {
                    position += if bytes[position] == b'\\' { 2 } else { 1 };
                }
                position += 1;
                before = byte;
            }
            _ if is_word(byte) => {
                let start = position;
                while position < bytes.len() && is_word(bytes[position]) {
                    position += 1;
                }
                let rest = text.get(position..).unwrap_or("");
                let colon = rest.trim_start();
                let is_label = colon.starts_with(':') && matches!(before, b';' | b'{' | b'}' | b':' | b')');
                if is_label
                    && names
                        .iter()
                        .any(|name| Some(name.as_str()) == text.get(start..position))
                {
                    found.push(position + (rest.len() - colon.len()) + 1);
                }
                before = byte;
            }
            _ => {
                if !byte.is_ascii_whitespace() {
                    before = byte;
                }
                position += 1;
            }
        }
    }
    found
}

//! The syntax tree as C, with all parentheses, so that different trees are different texts.

use c::syntax::{
    Alignment, ArrayLength, Assembler, Attribute, Binary, Block, BlockItem, Declaration, Declarator, Derivation,
    Designator, Encoding, EnumerationSpecifier, Expression, ExpressionKind, FloatSuffix, ForInitial,
    FunctionDefinition, Initialiser, InitialiserList, IntegerLiteral, Item, Member, Name, Parameters, Qualifiers,
    RecordSpecifier, Specifiers, Statement, StatementKind, StaticAssertion, Storage, StringLiteral, TranslationUnit,
    TypeName, TypeSpecifier, TypeWord, Unary,
};
use std::fmt::Write;

pub(crate) fn unit(unit: &TranslationUnit) -> String {
    unit.items.iter().map(item).collect()
}

fn item(item: &Item) -> String {
    match item {
        Item::Declaration(one) => declaration(one),
        Item::Function(one) => function(one),
        Item::StaticAssertion(one) => static_assertion(one),
        Item::Assembler(_) => "asm(\"\");\n".to_owned(),
    }
}

fn joined<T>(items: &[T], print: impl Fn(&T) -> String) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(", ")
}

fn static_assertion(assertion: &StaticAssertion) -> String {
    let message = assertion
        .message
        .as_ref()
        .map_or(String::new(), |text| format!(", {}", quoted(text)));
    format!("_Static_assert({}{message});\n", expression(&assertion.condition))
}

fn declaration(one: &Declaration) -> String {
    let declarators = joined(&one.declarators, |one| {
        let initial = one
            .initialiser
            .as_ref()
            .map_or(String::new(), |value| format!(" = {}", initialiser(value)));
        format!(
            "{}{}{initial}",
            declarator(&one.declarator),
            attributes(&one.attributes)
        )
    });
    let (before, behind) = packing(&one.specifiers);
    format!("{before}{} {declarators};\n{behind}", specifiers(&one.specifiers))
}

/// Pragmas around a declaration whose record has a limit of alignment.
fn packing(specifiers: &Specifiers) -> (String, &'static str) {
    for specifier in &specifiers.types {
        if let TypeSpecifier::Record(record) = specifier
            && let Some(limit) = record
                .attributes
                .iter()
                .find(|attribute| attribute.name.text == "pragma pack")
        {
            let limit = expression(&limit.arguments[0]);
            return (format!("\n#pragma pack(push, {limit})\n"), "#pragma pack(pop)\n");
        }
    }
    (String::new(), "")
}

fn function(one: &FunctionDefinition) -> String {
    let old: String = one.old_parameters.iter().map(declaration).collect();
    let mut head = one.specifiers.clone();
    head.attributes.extend(one.attributes.iter().cloned());
    format!(
        "{} {} {old}{}\n",
        specifiers(&head),
        declarator(&one.declarator),
        block(&one.body)
    )
}

fn attributes(list: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in list.iter().filter(|attribute| attribute.name.text != "pragma pack") {
        let arguments = joined(&attribute.arguments, |argument| match &argument.kind {
            ExpressionKind::Identifier(name) => name.clone(),
            _ => expression(argument),
        });
        let arguments = if arguments.is_empty() {
            arguments
        } else {
            format!("({arguments})")
        };
        write!(text, " __attribute__(({}{arguments}))", attribute.name.text).unwrap();
    }
    text
}

fn qualifiers(qualifiers: Qualifiers) -> String {
    let mut text = String::new();
    for (is_there, word) in [
        (qualifiers.is_const, "const "),
        (qualifiers.is_volatile, "volatile "),
        (qualifiers.is_restrict, "restrict "),
        (qualifiers.is_atomic, "_Atomic "),
    ] {
        if is_there {
            text.push_str(word);
        }
    }
    text
}

fn specifiers(one: &Specifiers) -> String {
    let mut words = Vec::new();
    for (storage, _) in &one.storage {
        words.push(
            match storage {
                Storage::Typedef => "typedef",
                Storage::Extern => "extern",
                Storage::Static => "static",
                Storage::Auto => "auto",
                Storage::Register => "register",
                Storage::ThreadLocal => "__thread",
            }
            .to_owned(),
        );
    }
    if one.is_inline {
        words.push("inline".to_owned());
    }
    if one.is_noreturn {
        words.push("_Noreturn".to_owned());
    }
    for alignment in &one.alignments {
        words.push(match alignment {
            Alignment::Type(name) => format!("_Alignas({})", type_name(name)),
            Alignment::Expression(value) => format!("_Alignas({})", expression(value)),
        });
    }
    words.push(qualifiers(one.qualifiers).trim().to_owned());
    words.push(attributes(&one.attributes));
    words.extend(one.types.iter().map(type_specifier));
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

fn type_specifier(specifier: &TypeSpecifier) -> String {
    match specifier {
        TypeSpecifier::Word(word, _) => type_word(*word).to_owned(),
        TypeSpecifier::Record(one) => record(one),
        TypeSpecifier::Enumeration(one) => enumeration(one),
        TypeSpecifier::Named(name) => name.text.clone(),
        TypeSpecifier::TypeofExpression(value, _) => format!("typeof({})", expression(value)),
        TypeSpecifier::TypeofType(name, _) => format!("typeof({})", type_name(name)),
        TypeSpecifier::Atomic(name, _) => format!("_Atomic({})", type_name(name)),
        TypeSpecifier::Error(_) => "<error>".to_owned(),
    }
}

fn type_word(word: TypeWord) -> &'static str {
    match word {
        TypeWord::Void => "void",
        TypeWord::Char => "char",
        TypeWord::Short => "short",
        TypeWord::Int => "int",
        TypeWord::Long => "long",
        TypeWord::Signed => "signed",
        TypeWord::Unsigned => "unsigned",
        TypeWord::Float => "float",
        TypeWord::Double => "double",
        TypeWord::Bool => "_Bool",
        TypeWord::Complex => "_Complex",
        TypeWord::Int128 => "__int128",
        TypeWord::Float128 => "_Float128",
        TypeWord::VariadicList => "__builtin_va_list",
    }
}

fn tag(name: &Option<Name>) -> &str {
    name.as_ref().map_or("", |name| name.text.as_str())
}

fn record(one: &RecordSpecifier) -> String {
    let word = if one.is_union { "union" } else { "struct" };
    let members = one.members.as_ref().map_or(String::new(), |members| {
        let members: String = members.iter().map(member).collect();
        format!(" {{\n{members}}}")
    });
    format!("{word}{} {}{members}", attributes(&one.attributes), tag(&one.tag))
}

fn member(member: &Member) -> String {
    match member {
        Member::StaticAssertion(one) => static_assertion(one),
        Member::Fields {
            specifiers: head,
            declarators,
            ..
        } => {
            let declarators = joined(declarators, |field| {
                let name = field.declarator.as_ref().map_or(String::new(), declarator);
                let width = field
                    .width
                    .as_ref()
                    .map_or(String::new(), |width| format!(" : {}", expression(width)));
                format!("{name}{width}{}", attributes(&field.attributes))
            });
            format!("{} {declarators};\n", specifiers(head))
        }
    }
}

fn enumeration(one: &EnumerationSpecifier) -> String {
    let list = one.enumerators.as_ref().map_or(String::new(), |list| {
        let list = joined(list, |one| {
            let value = one
                .value
                .as_ref()
                .map_or(String::new(), |value| format!(" = {}", expression(value)));
            format!("{}{value}", one.name.text)
        });
        format!(" {{ {list} }}")
    });
    format!("enum{} {}{list}", attributes(&one.attributes), tag(&one.tag))
}

fn declarator(one: &Declarator) -> String {
    let mut text = tag(&one.name).to_owned();
    let mut is_pointer = false;
    for derivation in one.derivations.iter().rev() {
        if is_pointer && !matches!(derivation, Derivation::Pointer(_)) {
            text = format!("({text})");
        }
        is_pointer = false;
        match derivation {
            Derivation::Pointer(words) => {
                text = format!("*{}{text}", qualifiers(*words));
                is_pointer = true;
            }
            Derivation::Array(length, _) => text = format!("{text}[{}]", array_length(length)),
            Derivation::Function(list, _) => text = format!("{text}({})", parameters(list)),
        }
    }
    if let Some(name) = &one.assembler_name {
        write!(text, " asm({})", quoted(name)).unwrap();
    }
    text
}

fn array_length(length: &ArrayLength) -> String {
    match length {
        ArrayLength::Unknown => String::new(),
        ArrayLength::AnyVariable => "*".to_owned(),
        ArrayLength::Expression(value) => expression(value),
    }
}

fn parameters(list: &Parameters) -> String {
    match list {
        Parameters::Unknown => String::new(),
        Parameters::Names(names) => joined(names, |name| name.text.clone()),
        Parameters::Types {
            parameters,
            is_variadic,
        } => {
            let mut words: Vec<String> = Vec::new();
            for one in parameters {
                let head = specifiers(&one.specifiers);
                words.push(format!(
                    "{head} {}{}",
                    declarator(&one.declarator),
                    attributes(&one.attributes)
                ));
            }
            if *is_variadic {
                words.push("...".to_owned());
            }
            if words.is_empty() {
                "void".to_owned()
            } else {
                words.join(", ")
            }
        }
    }
}

fn type_name(name: &TypeName) -> String {
    format!("{} {}", specifiers(&name.specifiers), declarator(&name.declarator))
}

fn initialiser(value: &Initialiser) -> String {
    match value {
        Initialiser::Expression(value) => expression(value),
        Initialiser::List(list) => initialiser_list(list),
    }
}

fn initialiser_list(list: &InitialiserList) -> String {
    let items = joined(&list.items, |one| {
        let path = designators(&one.designators);
        let equal = if path.is_empty() { "" } else { " = " };
        format!("{path}{equal}{}", initialiser(&one.initialiser))
    });
    format!("{{ {items} }}")
}

fn designators(list: &[Designator]) -> String {
    let print = |one: &Designator| match one {
        Designator::Field(name) => format!(".{}", name.text),
        Designator::Index(value) => format!("[{}]", expression(value)),
        Designator::Range(low, high) => format!("[{} ... {}]", expression(low), expression(high)),
    };
    list.iter().map(print).collect()
}

fn block(one: &Block) -> String {
    let items: String = one.items.iter().map(block_item).collect();
    format!("{{\n{items}}}\n")
}

fn block_item(item: &BlockItem) -> String {
    match item {
        BlockItem::Declaration(one) => declaration(one),
        BlockItem::Statement(one) => statement(one),
        BlockItem::StaticAssertion(one) => static_assertion(one),
        BlockItem::Function(one) => function(one),
    }
}

fn statement(one: &Statement) -> String {
    match &one.kind {
        StatementKind::Empty => ";\n".to_owned(),
        StatementKind::Expression(value) => format!("{};\n", expression(value)),
        StatementKind::Block(inner) => block(inner),
        StatementKind::Labelled {
            label,
            statement: inner,
        } => format!("{}: {}", label.text, statement(inner)),
        StatementKind::Case {
            low,
            high,
            statement: inner,
        } => {
            let high = high
                .as_ref()
                .map_or(String::new(), |high| format!(" ... {}", expression(high)));
            format!("case {}{high}: {}", expression(low), statement(inner))
        }
        StatementKind::Default(inner) => format!("default: {}", statement(inner)),
        StatementKind::If {
            condition,
            then,
            otherwise,
        } => {
            let otherwise = otherwise
                .as_ref()
                .map_or(String::new(), |other| format!("else {}", statement(other)));
            // In a block, so that it is clear whose `else` it is.
            let then = match &then.kind {
                StatementKind::Block(inner) => block(inner),
                _ => format!("{{\n{}}}\n", statement(then)),
            };
            format!("if ({}) {then}{otherwise}", expression(condition))
        }
        StatementKind::Switch { value, body } => format!("switch ({}) {}", expression(value), statement(body)),
        StatementKind::While { condition, body } => format!("while ({}) {}", expression(condition), statement(body)),
        StatementKind::DoWhile { body, condition } => {
            format!("do {} while ({});\n", statement(body), expression(condition))
        }
        StatementKind::For {
            initial,
            condition,
            step,
            body,
        } => {
            let initial = match initial {
                ForInitial::Nothing => ";".to_owned(),
                ForInitial::Expression(value) => format!("{};", expression(value)),
                ForInitial::Declaration(one) => declaration(one),
            };
            let condition = condition.as_ref().map_or(String::new(), expression);
            let step = step.as_ref().map_or(String::new(), expression);
            format!("for ({initial} {condition}; {step}) {}", statement(body))
        }
        StatementKind::Goto(label) => format!("goto {};\n", label.text),
        StatementKind::GotoComputed(value) => format!("goto *{};\n", expression(value)),
        StatementKind::Continue => "continue;\n".to_owned(),
        StatementKind::Break => "break;\n".to_owned(),
        StatementKind::Return(None) => "return;\n".to_owned(),
        StatementKind::Return(Some(value)) => format!("return {};\n", expression(value)),
        StatementKind::Assembler(one) => assembler(one),
        StatementKind::Error => "<error>;\n".to_owned(),
    }
}

fn assembler(one: &Assembler) -> String {
    let operand = |value: &Expression| format!("\"r\"({})", expression(value));
    let (outputs, inputs) = (joined(&one.outputs, operand), joined(&one.inputs, operand));
    let clobbers = joined(&one.clobbers, |text| quoted(text));
    format!("asm({} : {outputs} : {inputs} : {clobbers});\n", quoted(&one.template))
}

fn quoted(text: &str) -> String {
    let mut result = "\"".to_owned();
    for byte in text.bytes() {
        write!(result, "\\{byte:03o}").unwrap();
    }
    result + "\""
}

fn text(literal: &StringLiteral) -> String {
    // Each unit on its own: digits behind an escape would belong to it.
    let prefix = prefix(literal.encoding);
    let mut result = format!("{prefix}\"\"");
    for unit in &literal.units {
        write!(result, " {prefix}\"\\x{unit:x}\"").unwrap();
    }
    result
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Wide => "L",
        Encoding::Sixteen => "u",
        Encoding::ThirtyTwo => "U",
    }
}

fn integer(literal: &IntegerLiteral) -> String {
    let sign = if literal.is_unsigned { "u" } else { "" };
    let size = "l".repeat(usize::from(literal.longs));
    if literal.is_decimal {
        format!("{}{sign}{size}", literal.value)
    } else {
        format!("{:#x}{sign}{size}", literal.value)
    }
}

/// In parentheses, unless it is a single word.
pub(crate) fn expression(one: &Expression) -> String {
    let inner = bare(one);
    match one.kind {
        ExpressionKind::Identifier(_) | ExpressionKind::Integer(_) | ExpressionKind::String(_) => inner,
        _ => format!("({inner})"),
    }
}

fn bare(one: &Expression) -> String {
    match &one.kind {
        ExpressionKind::Identifier(name) => name.clone(),
        ExpressionKind::Integer(literal) => integer(literal),
        ExpressionKind::Float(literal) => {
            let suffix = match literal.suffix {
                FloatSuffix::None => "",
                FloatSuffix::Single => "f",
                FloatSuffix::Long => "l",
            };
            format!("{:e}{suffix}", literal.value).replace("inf", "1e999999")
        }
        ExpressionKind::Character(literal) => {
            let unit = literal.value as u32;
            match literal.encoding {
                Encoding::Plain if (-128..128).contains(&literal.value) => format!("'\\x{:x}'", unit & 0xff),
                Encoding::Plain => {
                    let bytes = unit.to_be_bytes().into_iter().skip_while(|byte| *byte == 0);
                    format!("'{}'", bytes.map(|byte| format!("\\{byte:03o}")).collect::<String>())
                }
                encoding => format!("{}'\\x{unit:x}'", prefix(encoding)),
            }
        }
        ExpressionKind::String(literal) => text(literal),
        ExpressionKind::Unary { operator, operand } => unary(*operator, &expression(operand)),
        ExpressionKind::Binary { operator, left, right } => {
            format!("{} {} {}", expression(left), binary(*operator), expression(right))
        }
        ExpressionKind::Assign {
            operator,
            target,
            value,
        } => {
            let operator = operator.map_or("", binary);
            format!("{} {operator}= {}", expression(target), expression(value))
        }
        ExpressionKind::Conditional {
            condition,
            then,
            otherwise,
        } => {
            let then = then.as_ref().map_or(String::new(), |then| expression(then));
            format!("{} ? {then} : {}", expression(condition), expression(otherwise))
        }
        ExpressionKind::Comma(left, right) => format!("{}, {}", expression(left), expression(right)),
        ExpressionKind::Cast {
            type_name: name,
            operand,
        } => format!("({}){}", type_name(name), expression(operand)),
        ExpressionKind::Call { function, arguments } => {
            format!("{}({})", expression(function), joined(arguments, expression))
        }
        ExpressionKind::Index { array, index } => format!("{}[{}]", expression(array), expression(index)),
        ExpressionKind::Member {
            operand,
            is_arrow,
            name,
        } => format!(
            "{}{}{}",
            expression(operand),
            if *is_arrow { "->" } else { "." },
            name.text
        ),
        _ => bare_with_types(one),
    }
}

fn bare_with_types(one: &Expression) -> String {
    match &one.kind {
        ExpressionKind::CompoundLiteral {
            type_name: name,
            initialiser,
        } => format!("({}){}", type_name(name), initialiser_list(initialiser)),
        ExpressionKind::SizeofExpression(value) => format!("sizeof({})", expression(value)),
        ExpressionKind::SizeofType(name) => format!("sizeof({})", type_name(name)),
        ExpressionKind::AlignofExpression(value) => format!("_Alignof({})", expression(value)),
        ExpressionKind::AlignofType(name) => format!("_Alignof({})", type_name(name)),
        ExpressionKind::Offsetof {
            type_name: name,
            designators: path,
        } => {
            let path = designators(path);
            format!(
                "__builtin_offsetof({}, {})",
                type_name(name),
                path.trim_start_matches('.')
            )
        }
        ExpressionKind::VariadicArgument { list, type_name: name } => {
            format!("__builtin_va_arg({}, {})", expression(list), type_name(name))
        }
        ExpressionKind::TypesCompatible(left, right) => {
            format!(
                "__builtin_types_compatible_p({}, {})",
                type_name(left),
                type_name(right)
            )
        }
        ExpressionKind::Choose {
            condition,
            then,
            otherwise,
        } => {
            let arguments = [condition, then, otherwise].map(|value| expression(value));
            format!("__builtin_choose_expr({})", arguments.join(", "))
        }
        ExpressionKind::Generic { control, choices } => {
            let choices = joined(choices, |(name, value)| {
                let name = name.as_ref().map_or("default".to_owned(), type_name);
                format!("{name}: {}", expression(value))
            });
            format!("_Generic({}, {choices})", expression(control))
        }
        ExpressionKind::Statements(inner) => {
            format!("{{\n{}}}", inner.items.iter().map(block_item).collect::<String>())
        }
        ExpressionKind::LabelAddress(label) => format!("&&{}", label.text),
        _ => "<error>".to_owned(),
    }
}

fn unary(operator: Unary, operand: &str) -> String {
    match operator {
        Unary::Plus => format!("+{operand}"),
        Unary::Minus => format!("-{operand}"),
        Unary::Complement => format!("~{operand}"),
        Unary::Not => format!("!{operand}"),
        Unary::Address => format!("&{operand}"),
        Unary::Dereference => format!("*{operand}"),
        Unary::PreIncrement => format!("++{operand}"),
        Unary::PreDecrement => format!("--{operand}"),
        Unary::PostIncrement => format!("{operand}++"),
        Unary::PostDecrement => format!("{operand}--"),
        Unary::Extension => format!("__extension__ {operand}"),
        Unary::Real => format!("__real__ {operand}"),
        Unary::Imaginary => format!("__imag__ {operand}"),
    }
}

fn binary(operator: Binary) -> &'static str {
    match operator {
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Less => "<",
        Binary::Greater => ">",
        Binary::LessOrEqual => "<=",
        Binary::GreaterOrEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::BitAnd => "&",
        Binary::ExclusiveOr => "^",
        Binary::BitOr => "|",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}

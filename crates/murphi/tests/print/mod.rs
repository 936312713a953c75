//! The syntax tree as bracketed text, for tests.

use murphi::syntax::*;

pub(crate) fn expression_text(expression: &Expression) -> String {
    let list = |head: &str, parts: &[&Expression]| {
        let parts: Vec<String> = parts.iter().map(|part| format!(" {}", expression_text(part))).collect();
        format!("({head}{})", parts.concat())
    };
    match &expression.kind {
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Boolean(value) => value.to_string(),
        ExpressionKind::Name(name) => name.text.clone(),
        ExpressionKind::Field(record, field) => format!("(. {} {})", expression_text(record), field.text),
        ExpressionKind::Index(array, index) => list("[]", &[array, index]),
        ExpressionKind::Call { name, arguments } => list(&name.text, &arguments.iter().collect::<Vec<_>>()),
        ExpressionKind::Unary(unary, operand) => list(unary_text(*unary), &[operand]),
        ExpressionKind::Binary(binary, left, right) => list(binary_text(*binary), &[left, right]),
        ExpressionKind::If(condition, then, otherwise) => list("?", &[condition, then, otherwise]),
        ExpressionKind::Quantified {
            quantifier,
            binder,
            body,
        } => {
            let word = match quantifier {
                Quantifier::Forall => "forall",
                Quantifier::Exists => "exists",
            };
            format!("({word} {} {})", binder_text(binder), expression_text(body))
        }
        ExpressionKind::IsUndefined(operand) => list("isundefined", &[operand]),
        ExpressionKind::IsMember(value, ty) => format!("(ismember {} {})", expression_text(value), type_text(ty)),
        ExpressionKind::MultisetCount {
            name,
            multiset,
            condition,
        } => list(&format!("multisetcount {}", name.text), &[multiset, condition]),
        ExpressionKind::EmptyList => "[]".to_string(),
        ExpressionKind::Undefined => "undefined".to_string(),
        ExpressionKind::Error => "<error>".to_string(),
    }
}

fn unary_text(unary: Unary) -> &'static str {
    match unary {
        Unary::Not => "!",
        Unary::Negate => "neg",
        Unary::Plus => "pos",
        Unary::BitNot => "~",
    }
}

fn binary_text(binary: Binary) -> &'static str {
    match binary {
        Binary::Implies => "->",
        Binary::Or => "||",
        Binary::And => "&&",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "=",
        Binary::NotEqual => "!=",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
    }
}

fn binder_text(binder: &Binder) -> String {
    let name = &binder.name.text;
    match &binder.domain {
        BinderDomain::Type(ty) => format!("({name} {})", type_text(ty)),
        BinderDomain::Range { low, high, step } => {
            let step = step
                .as_ref()
                .map_or(String::new(), |step| format!(" {}", expression_text(step)));
            format!("({name} {} {}{step})", expression_text(low), expression_text(high))
        }
    }
}

fn names_text(names: &[Identifier]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    names.join(" ")
}

fn type_text(ty: &TypeExpression) -> String {
    match &ty.kind {
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Range(low, high) => format!("(.. {} {})", expression_text(low), expression_text(high)),
        TypeKind::Enum(members) => format!("(enum {})", names_text(members)),
        TypeKind::Scalarset(size) => format!("(scalarset {})", expression_text(size)),
        TypeKind::Union(members) => {
            let members: Vec<String> = members.iter().map(type_text).collect();
            format!("(union {})", members.join(" "))
        }
        TypeKind::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(names, ty)| format!(" ({}: {})", names_text(names), type_text(ty)))
                .collect();
            format!("(record{})", fields.concat())
        }
        TypeKind::Array { index, element } => format!("(array {} {})", type_text(index), type_text(element)),
        TypeKind::Multiset { capacity, element } => {
            format!("(multiset {} {})", expression_text(capacity), type_text(element))
        }
        TypeKind::List(element) => format!("(list {})", type_text(element)),
        TypeKind::Error => "<error>".to_string(),
    }
}

/// One line for each item and statement, indented by nesting.
pub(crate) fn program_text(program: &Program) -> String {
    let mut lines = Vec::new();
    for item in &program.items {
        item_lines(item, 0, &mut lines);
    }
    lines.join("\n")
}

fn line(depth: usize, text: String, lines: &mut Vec<String>) {
    lines.push(format!("{}{text}", "  ".repeat(depth)));
}

fn name_text(name: &Option<String>) -> String {
    name.as_ref().map_or(String::new(), |name| format!(" {name:?}"))
}

fn parameters_text(parameters: &[ParameterGroup]) -> String {
    let group = |group: &ParameterGroup| {
        let var = if group.by_reference { "var " } else { "" };
        format!("{var}{}: {}", names_text(&group.names), type_text(&group.ty))
    };
    parameters.iter().map(group).collect::<Vec<_>>().join("; ")
}

fn item_lines(item: &Item, depth: usize, lines: &mut Vec<String>) {
    let text = match item {
        Item::Constant { name, value } => format!("const {} = {}", name.text, expression_text(value)),
        Item::Type { name, definition } => format!("type {} = {}", name.text, type_text(definition)),
        Item::Variables { names, ty } => format!("var {}: {}", names_text(names), type_text(ty)),
        Item::Subprogram(subprogram) => {
            let result = subprogram
                .result
                .as_ref()
                .map_or("".to_string(), |ty| format!(": {}", type_text(ty)));
            let parameters = parameters_text(&subprogram.parameters);
            line(
                depth,
                format!("subprogram {}({parameters}){result}", subprogram.name.text),
                lines,
            );
            return block_lines(&subprogram.body, depth + 1, lines);
        }
        Item::Rule(rule) => return rule_lines(rule, depth, lines),
        Item::Uninterpreted {
            names,
            parameters,
            result,
        } => {
            let parameters = parameters_text(parameters);
            format!(
                "uninterpreted {}({parameters}): {}",
                names_text(names),
                type_text(result)
            )
        }
        Item::Axiom { name, formula, .. } => format!("axiom{} {}", name_text(name), expression_text(formula)),
        Item::Index { names, ty } => format!("index {}: {}", names_text(names), type_text(ty)),
        Item::Predicate { name, formula, .. } => format!("predicate{} {}", name_text(name), expression_text(formula)),
    };
    line(depth, text, lines);
}

fn rule_lines(rule: &RuleItem, depth: usize, lines: &mut Vec<String>) {
    let (head, rules) = match rule {
        RuleItem::Rule {
            priority,
            name,
            guard,
            body,
            ..
        } => {
            let priority = match priority {
                0 => String::new(),
                priority => format!(" {priority}"),
            };
            let guard = guard
                .as_ref()
                .map_or(String::new(), |guard| format!(" {} ==>", expression_text(guard)));
            line(depth, format!("rule{priority}{}{guard}", name_text(name)), lines);
            return block_lines(body, depth + 1, lines);
        }
        RuleItem::Start { name, body, .. } => {
            line(depth, format!("startstate{}", name_text(name)), lines);
            return block_lines(body, depth + 1, lines);
        }
        RuleItem::Property {
            kind, name, formula, ..
        } => {
            return line(
                depth,
                format!("{kind:?}{} {}", name_text(name), expression_text(formula)),
                lines,
            );
        }
        RuleItem::Ruleset { binders, rules, .. } => {
            let binders: Vec<String> = binders.iter().map(binder_text).collect();
            (format!("ruleset {}", binders.join(" ")), rules)
        }
        RuleItem::Alias { aliases, rules, .. } => (aliases_text(aliases), rules),
        RuleItem::Choose {
            name, multiset, rules, ..
        } => (format!("choose {} {}", name.text, expression_text(multiset)), rules),
    };
    line(depth, head, lines);
    for rule in rules {
        rule_lines(rule, depth + 1, lines);
    }
}

fn aliases_text(aliases: &[Alias]) -> String {
    let alias = |alias: &Alias| format!(" ({} {})", alias.name.text, expression_text(&alias.target));
    format!("alias{}", aliases.iter().map(alias).collect::<String>())
}

fn block_lines(block: &Block, depth: usize, lines: &mut Vec<String>) {
    for item in &block.declarations {
        item_lines(item, depth, lines);
    }
    statement_lines(&block.statements, depth, lines);
}

fn statement_lines(statements: &[Statement], depth: usize, lines: &mut Vec<String>) {
    for statement in statements {
        // Kinds with a body are distinguished by it; for others the debug text without spans suffices.
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                line(
                    depth,
                    format!("{} := {}", expression_text(target), expression_text(value)),
                    lines,
                );
            }
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    line(depth, format!("if {}", expression_text(condition)), lines);
                    statement_lines(body, depth + 1, lines);
                }
                line(depth, "else".to_string(), lines);
                statement_lines(otherwise, depth + 1, lines);
            }
            StatementKind::Call { name, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(expression_text).collect();
                line(depth, format!("{}({})", name.text, arguments.join(", ")), lines);
            }
            StatementKind::Return(value) => {
                let value = value.as_ref().map_or(String::new(), expression_text);
                line(depth, format!("return {value}"), lines);
            }
            other => line(depth, format!("{other:?}"), lines),
        }
    }
}

//! Hash-consed lists: equal lists have equal numbers, so that a list is a single slot like any other value.
//!
//! A list is its longest proper prefix and its last element; the empty list is number 0. Suffixes are interned with a
//! list, which makes every operation one lookup. All threads of a run share the table: numbers may differ between runs,
//! so no visible result may depend on their order.

use hashbrown::HashTable;
use std::sync::{PoisonError, RwLock};
use system::instance::{Instance, Type, TypeId, UNDEFINED};

#[derive(Debug)]
struct Node {
    prefix: u32,
    last: i64,
    head: i64,
    tail: u32,
    length: u32,
}

#[derive(Default, Debug)]
struct Table {
    /// The node of list `n` is at `n - 1`.
    nodes: Vec<Node>,
    numbers: HashTable<u32>,
}

/// The lists of one run.
#[derive(Default, Debug)]
pub(crate) struct Lists {
    table: RwLock<Table>,
}

pub(crate) const EMPTY: i64 = 0;

impl Lists {
    /// `None` if the table is full (32 bits).
    pub(crate) fn append(&self, list: i64, element: i64) -> Option<i64> {
        let list = u32::try_from(list).ok()?;
        let found = self.read(|table| table.find(list, element));
        let number = match found {
            Some(number) => number,
            None => self
                .table
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .append(list, element)?,
        };
        Some(i64::from(number))
    }

    /// `None` for the empty list.
    pub(crate) fn head(&self, list: i64) -> Option<i64> {
        self.read(|table| table.node(list).map(|node| node.head))
    }

    /// `None` for the empty list.
    pub(crate) fn tail(&self, list: i64) -> Option<i64> {
        self.read(|table| table.node(list).map(|node| i64::from(node.tail)))
    }

    pub(crate) fn length(&self, list: i64) -> i64 {
        self.read(|table| table.node(list).map_or(0, |node| i64::from(node.length)))
    }

    pub(crate) fn elements(&self, list: i64) -> Vec<i64> {
        self.read(|table| {
            let mut elements = Vec::new();
            let mut list = list;
            while let Some(node) = table.node(list) {
                elements.push(node.last);
                list = i64::from(node.prefix);
            }
            elements.reverse();
            elements
        })
    }

    /// A structural order, independent of when the lists were interned.
    pub(crate) fn compare(&self, a: i64, b: i64) -> std::cmp::Ordering {
        if a == b || a == UNDEFINED || b == UNDEFINED {
            a.cmp(&b)
        } else {
            self.elements(a).cmp(&self.elements(b))
        }
    }

    pub(crate) fn intern(&self, elements: &[i64]) -> Option<i64> {
        elements
            .iter()
            .try_fold(EMPTY, |list, element| self.append(list, *element))
    }

    /// The display form of a value, with lists in brackets.
    pub(crate) fn text(&self, instance: &Instance, ty: TypeId, value: i64) -> String {
        match &instance.types[ty] {
            Type::List { element } if value != UNDEFINED => {
                let elements = self.elements(value);
                let texts: Vec<String> = elements.iter().map(|e| self.text(instance, *element, *e)).collect();
                format!("[{}]", texts.join(", "))
            }
            _ => instance.value_name(ty, value),
        }
    }

    fn read<T>(&self, look: impl FnOnce(&Table) -> T) -> T {
        look(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Table {
    fn node(&self, list: i64) -> Option<&Node> {
        let index = usize::try_from(list).ok()?.checked_sub(1)?;
        self.nodes.get(index)
    }

    fn find(&self, prefix: u32, last: i64) -> Option<u32> {
        let nodes = &self.nodes;
        let same = |number: &u32| {
            nodes
                .get(*number as usize - 1)
                .is_some_and(|n| n.prefix == prefix && n.last == last)
        };
        self.numbers.find(hash(prefix, last), same).copied()
    }

    fn append(&mut self, list: u32, element: i64) -> Option<u32> {
        // The suffixes of the new list are those of the old one with the element appended.
        let mut missing = Vec::new();
        let mut prefix = list;
        let mut tail = loop {
            match self.find(prefix, element) {
                Some(found) => break found,
                None => missing.push(prefix),
            }
            match self.node(i64::from(prefix)) {
                Some(node) => prefix = node.tail,
                None => break 0,
            }
        };
        for prefix in missing.into_iter().rev() {
            let number = u32::try_from(self.nodes.len() + 1).ok()?;
            let (head, length) = match self.node(i64::from(prefix)) {
                Some(node) => (node.head, node.length.checked_add(1)?),
                None => (element, 1),
            };
            self.nodes.push(Node {
                prefix,
                last: element,
                head,
                tail,
                length,
            });
            let nodes = &self.nodes;
            let rehash = |number: &u32| {
                let node = &nodes[*number as usize - 1];
                hash(node.prefix, node.last)
            };
            self.numbers.insert_unique(hash(prefix, element), number, rehash);
            tail = number;
        }
        Some(tail)
    }
}

fn hash(prefix: u32, last: i64) -> u64 {
    crate::store::mix(crate::store::mix(0, u64::from(prefix)), last.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_equal_numbers() {
        let lists = Lists::default();
        let abc = lists.intern(&[1, 2, 3]).unwrap();
        assert_eq!(lists.elements(abc), [1, 2, 3]);
        assert_eq!(lists.length(abc), 3);
        assert_eq!(lists.head(abc), Some(1));
        let bc = lists.tail(abc).unwrap();
        assert_eq!(lists.elements(bc), [2, 3]);
        assert_eq!(lists.intern(&[2, 3]), Some(bc));
        assert_eq!(lists.append(bc, 1), lists.intern(&[2, 3, 1]));
    }

    #[test]
    fn the_empty_list_has_no_head() {
        let lists = Lists::default();
        assert_eq!(lists.head(EMPTY), None);
        assert_eq!(lists.tail(EMPTY), None);
        let one = lists.append(EMPTY, -5).unwrap();
        assert_eq!(lists.tail(one), Some(EMPTY));
    }
}

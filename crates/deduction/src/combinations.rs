//! Subsets, permutations and tuples, in a fixed order.

use logic::Sort;

/// The subsets of the numbers below `count` with this many elements, in lexicographic order.
pub fn subsets(count: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let first = (size <= count).then(|| (0..size).collect::<Vec<usize>>());
    std::iter::successors(first, move |subset| {
        let at = (0..size).rev().find(|at| subset[*at] < count - size + at)?;
        let mut next = subset.clone();
        (at..size).for_each(|later| next[later] = subset[at] + 1 + later - at);
        Some(next)
    })
}

/// All orders of the numbers below `n`.
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    (0..n).fold(vec![Vec::new()], |orders: Vec<Vec<usize>>, number| {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, number);
                longer
            })
        };
        orders.iter().flat_map(insert).collect()
    })
}

/// All tuples with elements of these sorts, no element twice.
pub fn distinct_tuples<T: Clone + PartialEq>(
    sorts: impl IntoIterator<Item = Sort>,
    elements: impl Fn(Sort) -> Vec<T>,
) -> Vec<Vec<T>> {
    sorts.into_iter().fold(vec![Vec::new()], |tuples: Vec<Vec<T>>, sort| {
        let elements = elements(sort);
        let longer = |tuple: &Vec<T>| {
            let unused = elements.iter().filter(|element| !tuple.contains(element));
            unused
                .map(|element| [tuple.as_slice(), std::slice::from_ref(element)].concat())
                .collect::<Vec<_>>()
        };
        tuples.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn subsets_come_in_order_and_are_all_there() {
        let all: Vec<Vec<usize>> = subsets(4, 2).collect();
        assert_eq!(all, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(subsets(3, 0).collect::<Vec<_>>(), [Vec::<usize>::new()]);
        assert_eq!(subsets(2, 3).count(), 0);
        for (count, size, expected) in [(6, 3, 20), (5, 5, 1), (7, 1, 7)] {
            let found: Vec<Vec<usize>> = subsets(count, size).collect();
            assert_eq!((found.len(), found.is_sorted()), (expected, true));
        }
    }

    #[test]
    fn permutations_are_all_orders() {
        let orders = permutations(4);
        assert_eq!(orders.len(), 24);
        assert_eq!(orders.iter().collect::<BTreeSet<_>>().len(), 24);
        assert!(orders.iter().all(|order| order.iter().sum::<usize>() == 6));
    }

    #[test]
    fn tuples_have_no_element_twice() {
        let elements = |sort: Sort| if sort == Sort::Int { vec!["a", "b"] } else { vec!["c"] };
        let tuples = distinct_tuples([Sort::Int, Sort::Bool, Sort::Int], elements);
        assert_eq!(tuples, [["a", "c", "b"], ["b", "c", "a"]]);
        assert_eq!(distinct_tuples([], elements), [Vec::<&str>::new()]);
        assert!(distinct_tuples([Sort::Bool; 2], elements).is_empty());
    }
}

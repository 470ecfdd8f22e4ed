import { expect, test } from 'vitest'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { backLinksOf, linksOf } from './object-links.ts'

function object(
  kind: SandboxObjectKind,
  id: string,
  data: Record<string, unknown> = {},
): SandboxObject {
  return { kind, id, environment: 'sandbox-test', mode: 'test', title: id, data: { id, ...data } }
}

const program = object('program', 'p')
const brand = object('brand', 'b')
const location = object('location', 'l', { brandId: 'b', programId: 'p' })
const named = { card: { id: 'c' }, location: { id: 'l' }, brand: { id: 'b' }, programId: 'p' }
const purchase = object('transaction', 't1', named)
const refund = object('transaction', 't2', { ...named, originalTransactionId: 't1' })
const all = [program, brand, location, purchase, refund]

test('an object links to the objects it refers to; a missing one keeps its ID', () => {
  expect(
    linksOf(refund, all).map(({ name, id, object: found }) => [name, id, found !== null]),
  ).toEqual([
    ['Refunded purchase', 't1', true],
    ['Card', 'c', false],
    ['Location', 'l', true],
    ['Brand', 'b', true],
    ['Program', 'p', true],
  ])
  expect(linksOf(purchase, all)).toHaveLength(4)
  expect(linksOf(brand, all)).toEqual([])
})

test('an object lists the objects that refer to it, newest first', () => {
  const summary = (of: SandboxObject) =>
    backLinksOf(of, all).map(({ name, objects }) => [name, objects.map(({ id }) => id)])
  expect(summary(brand)).toEqual([
    ['Locations', ['l']],
    ['Transactions', ['t2', 't1']],
  ])
  expect(summary(purchase)).toEqual([['Refunds', ['t2']]])
  expect(summary(refund)).toEqual([])
})

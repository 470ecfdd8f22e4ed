import { expect, test } from 'vitest'
import { sharedValue } from './handler-evidence.ts'

const cleared = (amount: number, more: object = {}) => ({
  amount,
  cleared: true,
  auth: false,
  card: { scheme: 'visa' },
  ...more,
})
const failing = [cleared(1), cleared(2), cleared(3)]
const open = (amount: number) => ({ amount, cleared: false, auth: true, card: { scheme: 'visa' } })
const accepted = [open(1), open(2), open(3)]

test('a value that all failing payloads have is named only if no accepted one has it', () => {
  expect(sharedValue(failing, accepted)).toBe('cleared: true')
  expect(sharedValue(failing, [...accepted, cleared(9, { auth: true })])).toBe('auth: false')
  expect(sharedValue(failing, [...accepted, cleared(9)])).toBeNull()
  expect(sharedValue([...failing, open(4)], accepted)).toBeNull()
})

test("too few payloads, and ones that can't be read, prove nothing in common", () => {
  expect(sharedValue(failing.slice(1), accepted)).toBeNull()
  expect(sharedValue(failing, accepted.slice(1))).toBeNull()
  expect(sharedValue([...failing, null], accepted)).toBeNull()
  expect(sharedValue(failing, [...accepted, null])).toBeNull()
})

/** What to say of a digest that somebody's own code computed for a delivery: whether it is right, and what is to be mended where it is not. */
import { counted } from '../../shared/counted.ts'
import type { ComputedDigest, Diagnosis } from '../../shared/model/signature.ts'
import { readDigest } from './diagnosis/readings.ts'
import { firstTextDifference } from './report.ts'

export interface ComputedInput {
  /** As it was pasted, without white space around it. */
  readonly computed: string
  readonly expected: string
  readonly received: string | null
  /** Which mistakes make `computed`; null where none are known, or it is right. */
  readonly diagnosis: Diagnosis | null
}

const compare =
  'If your code refuses the delivery all the same, its comparison is wrong: compare this text, in Base-64, with the value of the signature header and nothing around it, byte by byte.'

export function judgeComputed({ computed, expected, received, diagnosis }: ComputedInput): ComputedDigest {
  const isReceived = computed === received
  const rest = { digest: computed, isReceived, firstDifference: firstTextDifference(computed, expected), diagnosis }
  if (computed === expected) {
    return isReceived || received === null
      ? { ...rest, outcome: 'right', message: 'This is exactly the right signature.', fix: compare }
      : {
          ...rest,
          outcome: 'right',
          message: 'This is exactly the right signature. What came is another one.',
          fix: 'Your code is right to refuse this delivery: the mistake is the sender’s.',
        }
  }
  if (diagnosis !== null) {
    const same = isReceived ? ' It is also exactly what came: your code and the sender make the same mistake.' : ''
    return { ...rest, outcome: 'explained', message: diagnosis.message + same, fix: diagnosis.fix }
  }
  if (readDigest(computed).length === 0) {
    return {
      ...rest,
      outcome: 'unexplained',
      message: `This is not the whole of a digest: it has ${counted(computed.length, 'character')}, a signature has 44 of Base-64.`,
      fix: 'Print what your code compares with the signature header, and paste all of it.',
    }
  }
  return {
    ...rest,
    outcome: 'unexplained',
    message: 'No known mistake makes this digest.',
    fix: 'Print what your code hashes, byte by byte, and compare it with the three parts above; then compare the secret that it uses with the one of this hook.',
  }
}

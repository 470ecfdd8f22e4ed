/** Every case of the handler check, in the order in which they are sent and shown. */
import { duplicateCases } from './duplicates.ts'
import { forgedCases } from './forged.ts'
import { genuineCases } from './genuine.ts'
import { payloadCases } from './payload.ts'
import { robustnessCases } from './robustness.ts'
import { speedCases } from './speed.ts'
import { timeCases } from './time.ts'
import type { CheckCase } from '../check-case.ts'

export const checkCases: readonly CheckCase[] = [
  ...genuineCases,
  ...payloadCases,
  ...forgedCases,
  ...timeCases,
  ...duplicateCases,
  ...robustnessCases,
  ...speedCases,
]

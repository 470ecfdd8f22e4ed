/** Lists all cases of the handler check, in the order they are sent and shown. */
import { duplicateCases } from './duplicate-cases.ts'
import { forgedCases } from './forged-cases.ts'
import { validCases } from './valid-cases.ts'
import { payloadCases } from './payload-cases.ts'
import type { CaseDefinition } from './case-definition.ts'
import { robustnessCases } from './robustness-cases.ts'
import { speedCases } from './speed-cases.ts'
import { timeCases } from './time-cases.ts'

export const checkCases: readonly CaseDefinition[] = [
  ...validCases,
  ...payloadCases,
  ...forgedCases,
  ...timeCases,
  ...duplicateCases,
  ...robustnessCases,
  ...speedCases,
]

/** Signatures as JSON, whose names scripts depend on. */
import { pick } from './print.ts'
import type { Diagnosis, SignatureReport, SignatureTrial } from '../shared/model/signature.ts'

/** Returns the object of `verify --json`, and of `signature` in `show --json`. */
export function signatureJson(report: SignatureReport): Record<string, unknown> {
  return {
    ...pick(report, 'verdict', 'freshness', 'url', 'timestamp', 'received', 'expected', 'inner'),
    diagnosis: diagnosisJson(report.diagnosis),
    verifiedHere: report.verifiedHere,
    ...(report.hookDeleted ? { hookDeleted: true } : {}),
    ...(report.inTrailer.length > 0 ? { inTrailer: true } : {}),
  }
}

/** Returns the diagnosis; it has `causes` only if there are several. */
function diagnosisJson(diagnosis: Diagnosis | null): Record<string, unknown> | null {
  if (diagnosis === null) return null
  const { causes } = diagnosis
  return { ...pick(diagnosis, 'cause', 'message', 'fix'), ...(causes.length > 1 ? { causes } : {}) }
}

export function trialJson({ report, computed }: SignatureTrial): Record<string, unknown> {
  if (computed === null) return signatureJson(report)
  const { diagnosis, ...trial } = computed
  return { ...signatureJson(report), computed: { ...trial, cause: diagnosis?.cause ?? null } }
}

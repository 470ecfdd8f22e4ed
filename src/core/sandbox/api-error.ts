/**
 * Errors of the sandbox's API. The spec shows no error bodies (section 7), so these are the sandbox's choice, documented in
 * `docs/sandbox.md`: `{ "error": { "code", "message", "findings" } }`.
 */
import type { HookFinding } from '../../shared/service/hook-finding.ts'

/** Every code of an error body, with its status and meaning. */
export const apiErrors = {
  'invalid-request': {
    status: 400,
    meaning: 'The body is missing, is not JSON, or is not an object.',
  },
  'not-authenticated': {
    status: 401,
    meaning: 'The key header is missing, holds the public key, or holds an unknown key.',
  },
  'not-found': {
    status: 404,
    meaning: "Endpoint, hook, program or offer not found in the key's mode.",
  },
  'body-too-large': { status: 413, meaning: 'The body is larger than 256 KiB.' },
  'unsupported-type': { status: 415, meaning: "The content type isn't application/json." },
  'invalid-hook': {
    status: 422,
    meaning: 'The hook violates registration rules; `findings` lists each with its section.',
  },
  internal: { status: 500, meaning: 'The sandbox failed. Its log has the details.' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ApiErrorCode = keyof typeof apiErrors

export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly findings: readonly HookFinding[]

  constructor(code: ApiErrorCode, message: string, findings: readonly HookFinding[] = []) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.findings = findings
  }
}

export function errorBody({ code, message, findings }: ApiError): object {
  return { error: { code, message, findings } }
}

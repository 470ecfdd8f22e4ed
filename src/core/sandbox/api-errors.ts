/** Errors of the sandbox's API, in one shape. */
import type { HookFinding } from '../../shared/service/hook-finding.ts'

export const apiErrors = {
  'invalid-request': {
    status: 400,
    meaning:
      "The request isn't valid HTTP, or its body is missing, is not JSON, or is not an object.",
  },
  'not-authenticated': {
    status: 401,
    meaning: 'The key header is missing, holds the public key, or holds an unknown key.',
  },
  'not-found': {
    status: 404,
    meaning: "Endpoint, hook, program or offer not found in the key's mode.",
  },
  'timed-out': { status: 408, meaning: "The request didn't arrive completely within 30 seconds." },
  'body-too-large': { status: 413, meaning: 'The body is larger than 256 KiB.' },
  'url-too-long': { status: 414, meaning: 'An id in the URL has more than 100 characters.' },
  'unsupported-type': { status: 415, meaning: "The content type isn't application/json." },
  'invalid-hook': {
    status: 422,
    meaning: 'The hook violates registration rules; `findings` lists each with its section.',
  },
  'headers-too-large': { status: 431, meaning: 'The headers are larger than 16 KiB.' },
  internal: { status: 500, meaning: 'The sandbox failed. Its log has the details.' },
} as const satisfies Record<string, { status: number; meaning: string }>

type ApiErrorCode = keyof typeof apiErrors

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

/** Returns the error for a status; by default `invalid-request`. */
export function apiErrorOfStatus(status: number, message: string): ApiError {
  const code = (Object.keys(apiErrors) as ApiErrorCode[]).find(
    (candidate) => apiErrors[candidate].status === status,
  )
  return code === undefined || code === 'invalid-request'
    ? new ApiError('invalid-request', message)
    : new ApiError(code, apiErrors[code].meaning)
}

/**
 * Every expected error by its code. `docs/errors.md` says what each means and what the user can do; a test holds it complete.
 * Anything else thrown is a bug: it is logged under a reference, and only the reference is sent.
 */
import type { WireError } from '../rpc/transport.ts'

export const errorCodes = [
  'INVALID_INPUT',
  'UNKNOWN_COMMAND',
  'INVALID_QUERY',
  'INVALID_FLOW',
  'NOT_FOUND',
  'INVALID_HOOK',
  'NO_HOOK',
  'SANDBOX_STATE',
  'NOT_RUNNING',
  'ALREADY_RUNNING',
  'START_FAILED',
  'PORT_IN_USE',
  'RECEIVER_FAILED',
  'STORE_UNAVAILABLE',
  'DATABASE_DAMAGED',
  'DATABASE_FROM_FUTURE',
  'SECRET_UNREADABLE',
  'CONFIRMATION_REQUIRED',
  'TARGET_NOT_ALLOWED',
  'ENDPOINT_UNREACHABLE',
  'TUNNEL_UNAVAILABLE',
  'INVALID_ENVIRONMENT',
  'SERVICE_REFUSED',
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'UNSUPPORTED',
  'DISCONNECTED',
  'TOO_SLOW',
  'CANCELLED',
  'INTERNAL',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** An expected failure: its message is a sentence for the user that says what happened, why, and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  readonly ref: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: unknown; ref?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details
    this.ref = options.ref
  }

  /** The error that replaces a bug: the user sees the reference; the log has the stack. */
  static internal(ref: string): AppError {
    return new AppError(
      'INTERNAL',
      `Something went wrong in Countersign (reference ${ref}). The log has the details.`,
      {
        ref,
      },
    )
  }

  static fromWire(error: WireError): AppError {
    const code = errorCodes.find((known) => known === error.code) ?? 'INTERNAL'
    return new AppError(code, error.message, {
      details: error.details,
      ...(error.ref === undefined ? {} : { ref: error.ref }),
    })
  }

  toWire(): WireError {
    return {
      code: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
      ...(this.ref === undefined ? {} : { ref: this.ref }),
    }
  }
}

/** Ends a `switch` over a union: a new member without a case doesn't compile. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled value: ${JSON.stringify(value)}`)
}

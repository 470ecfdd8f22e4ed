/**
 * Every expected error, in one table: what it means and what the user can do. `docs/errors.md` lists the same codes, and a
 * test compares the two. Anything else that is thrown is a bug: it is logged under a reference, and only the reference travels.
 */
import type { WireError } from '../rpc/envelope.ts'

export const errors = {
  INVALID_INPUT: 'A command was called with input that does not fit it. The message names the field.',
  UNKNOWN_COMMAND: 'The other side called a command that this version does not have. Use the same version on both sides.',
  INVALID_QUERY: 'The search cannot be read. The message points at the character and says what is expected there.',
  INVALID_FLOW: 'The file of a flow breaks the rules of its format. The message names each place, what is wrong and what to do.',
  NOT_FOUND: 'There is no such delivery, hook, environment or object. List them to see their ids.',
  INVALID_HOOK: 'The hook breaks a rule of the interface. The details name each rule and its section.',
  NO_HOOK: 'No hook is registered for the event, so the sandbox has nowhere to send it. Import or add one.',
  NOT_RUNNING: 'The command needs the running service. Start it with `countersign serve` (or open the app) and try again.',
  ALREADY_RUNNING: 'Another instance holds the data folder. Use it, stop it, or choose another folder with --data.',
  PORT_IN_USE: 'A port is taken by another program. Stop that program, or choose another port (0 picks a free one).',
  RECEIVER_FAILED: 'The receiver could not listen. The message says why.',
  STORE_UNAVAILABLE: 'The database cannot be written or read (disk full, permissions). Deliveries get a 503 until this is fixed.',
  DATABASE_DAMAGED:
    'Pages of the database file are damaged. The message names the file and what still works; `countersign doctor --repair` recovers the rest.',
  DATABASE_FROM_FUTURE:
    'The database was written by a newer version of Countersign. Update, or choose another folder with --data.',
  SECRET_UNREADABLE: 'A stored secret cannot be opened by this host. Use the running instance, or give the secret again.',
  CONFIRMATION_REQUIRED: 'The call changes something in a live environment. Confirm it by name (in the window) or with --live.',
  TARGET_NOT_ALLOWED:
    'A request would leave this machine for a host that was not agreed to, or go to a port of Countersign itself. Nothing was sent.',
  ENDPOINT_UNREACHABLE: "The endpoint to check can't be reached. Start it, or correct its URL.",
  TUNNEL_UNAVAILABLE: 'The program for a tunnel is not installed on this machine. The message says how to get it.',
  INVALID_ENVIRONMENT: 'The environment cannot be used as it is given. The message names what is wrong.',
  SERVICE_REFUSED: 'The service answered with an error. The details hold its status and body and what was sent, secrets masked.',
  SERVICE_UNREACHABLE: 'The service could not be reached. The message says why; check base URL, proxy and certificate authority.',
  SERVICE_TIMEOUT:
    'The service did not answer in time; the call may have been carried out all the same. Look there before trying again.',
  UNSUPPORTED: 'This host cannot do that. The message says which one can.',
  DISCONNECTED:
    'The connection to the running instance was lost. Start it again, or open a fresh address with `countersign open`.',
  CANCELLED: 'The command was cancelled before it ended.',
  INTERNAL: 'A bug in Countersign. The log holds the details under the reference given.',
} as const

export type ErrorCode = keyof typeof errors

/** An expected failure: its message is a sentence for the user that says what happened, why, and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  readonly ref: string | undefined

  constructor(code: ErrorCode, message: string, options: { details?: unknown; ref?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details
    this.ref = options.ref
  }

  /** The error that stands for a bug: the user sees the reference, the log has the stack. */
  static internal(ref: string): AppError {
    return new AppError('INTERNAL', `Something went wrong inside Countersign (reference ${ref}). The log has the details.`, {
      ref,
    })
  }

  static fromWire(error: WireError): AppError {
    const code = Object.hasOwn(errors, error.code) ? (error.code as ErrorCode) : 'INTERNAL'
    return new AppError(code, error.message, { details: error.details, ...(error.ref === undefined ? {} : { ref: error.ref }) })
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

/** Marks the end of a `switch` over a union: a new member does not compile until it is handled. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled value: ${JSON.stringify(value)}`)
}

/**
 * Expected errors by code, as in `docs/errors.md`. Anything else thrown is a bug: it is logged, and
 * only its reference is sent.
 */
import type { WireError } from '../rpc/messages.ts'

export const errorMeanings = {
  INVALID_INPUT: 'Invalid input for a command. The message names the field.',
  UNKNOWN_COMMAND:
    "This version doesn't have that command. Use the same version of Countersign on both sides.",
  INVALID_QUERY:
    "The query can't be read. The message marks the position and says what was expected. (docs/query.md#errors)",
  INVALID_FLOW: 'The flow file has errors. The message lists each one with its place and fix.',
  INVALID_SETUP:
    'The setup file has errors. The message lists each one with its line and fix. (docs/setup-file.md)',
  NOT_FOUND:
    "Delivery, hook, environment or object not found. List them to see their IDs. In the sandbox, test mode can't see live objects.",
  INVALID_HOOK: 'The hook violates the spec. The details list each rule with its section.',
  NO_HOOK:
    "No hook receives this event, so the sandbox can't send it. Add or import one: the message contains the command.",
  SANDBOX_STATE:
    "The sandbox's objects don't allow this event. The message says why; use other objects, or change these.",
  NOT_RUNNING:
    'The command needs Countersign running. Start it with `countersign serve` (or open the app), then try again.',
  ALREADY_RUNNING:
    'Another Countersign uses the data folder. Use it, stop it, or choose another folder with --data. (docs/troubleshooting.md#the-data-folder-is-in-use)',
  START_FAILED:
    "The desktop app couldn't start. The window says why and what to do. (docs/desktop.md#if-something-fails)",
  PORT_IN_USE:
    'Another program uses the port. Stop that program, or choose another port (0 picks a free one). (docs/troubleshooting.md#a-port-is-in-use)',
  RECEIVER_FAILED: "The receiver couldn't start. The message says why.",
  STORE_UNAVAILABLE:
    "The database can't be read or written (disk full, permissions). Deliveries get a 503 until this is fixed. (docs/reliability.md#the-disk-is-full)",
  DATABASE_DAMAGED:
    'Pages of the database file are damaged. The message names the file and what still works; `countersign doctor --repair` recovers the rest. (docs/reliability.md#repair-a-damaged-database)',
  DATABASE_FROM_FUTURE:
    'A newer version of Countersign wrote the database. Update, or choose another folder with --data.',
  SECRET_UNREADABLE:
    "Countersign can't decrypt a stored secret. The message says why; unlock the system keyring, or enter the secret again. (docs/security.md#secrets)",
  CONFIRMATION_REQUIRED:
    'This sends or changes something in a live environment. Allow it by name (in the window) or with --live.',
  TARGET_NOT_ALLOWED:
    "The request would go to a host that isn't allowed, or to a port of Countersign itself. Nothing was sent. (docs/live-mode.md#remote-hosts)",
  ENDPOINT_UNREACHABLE: "The endpoint can't be reached. Start it, or correct its URL.",
  TUNNEL_UNAVAILABLE:
    "The tunnel tool isn't installed on this computer, or it reported no URL. The message says what to do. (docs/public-url.md#install-a-tunnel-tool)",
  INVALID_ENVIRONMENT:
    "The environment's settings are invalid, for example a public key (`pk…`) instead of the secret one. The message names the problem.",
  SERVICE_REFUSED:
    'The service returned an error. The details contain its status, its body and the request, with secrets masked.',
  SERVICE_UNREACHABLE:
    "The service can't be reached. The message says why; check the base URL, proxy and CA certificate.",
  SERVICE_TIMEOUT:
    "The service didn't respond in time, but may have completed the call. Check there before you try again. (docs/hooks.md#at-a-real-account)",
  UNSUPPORTED: "This host can't do that. The message says which one can.",
  DISCONNECTED:
    'Lost the connection to Countersign. Start it again, or open a new link with `countersign open`.',
  TOO_SLOW:
    'A search took longer than 5 seconds and was stopped. Narrow it, for example with a time range.',
  CANCELLED: 'The command was cancelled before it finished.',
  INTERNAL:
    'A bug in Countersign. The log has the details under the given reference. (docs/troubleshooting.md#where-is-my-data)',
} as const

export type ErrorCode = keyof typeof errorMeanings

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorMeanings, code)
}

/** Expected failure; its message tells the user what happened, why, and what to do next. */
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

  /** Creates the error that clients get for a bug; `ref` names its log entry. */
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
    const code = isErrorCode(error.code) ? error.code : 'INTERNAL'
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

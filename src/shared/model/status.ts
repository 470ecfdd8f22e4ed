/** The status of the running application, as shown in its window and by `doctor`. */
import { z } from 'zod'

export const receiverStatusSchema = z.object({
  /** `paused`: listening, but responding 503 without storing, so that the service retries. `off`: this core runs no receiver. */
  state: z.enum(['listening', 'paused', 'failed', 'off']),
  /** `https://127.0.0.1:PORT`; null if it isn't listening. */
  url: z.string().nullable(),
  /** The public URL in front of it; null if none is set. */
  publicUrl: z.string().nullable(),
  /** The plain HTTP URL for tunnels; null if not requested. */
  httpUrl: z.string().nullable(),
  /** Why it failed, as a sentence; null otherwise. */
  problem: z.string().nullable(),
})
export type ReceiverStatus = z.infer<typeof receiverStatusSchema>

const searchStatusSchema = z.object({
  /**
   * `opening`: not known yet. `filling`: many deliveries aren't indexed yet. `off`: there is no index. Searches return the same
   * results in every state.
   */
  state: z.enum(['opening', 'filling', 'ready', 'off']),
  /** Approximate number of deliveries not indexed yet. */
  left: z.number().int(),
})
export type SearchStatus = z.infer<typeof searchStatusSchema>

const storeStatusSchema = z.object({
  /**
   * `failing`: the last write failed; deliveries get a 503 until one succeeds. `damaged`: some pages of the database file can't be
   * read; the others can, and new deliveries are stored as long as that works.
   */
  state: z.enum(['ok', 'failing', 'damaged']),
  problem: z.string().nullable(),
  deliveries: z.number().int(),
  /** Size of the database files, in bytes. */
  bytes: z.number().int(),
  search: searchStatusSchema,
})
export type StoreStatus = z.infer<typeof storeStatusSchema>

const vaultStatusSchema = z.object({
  /** Encrypts secrets: `keyring` or `file`. */
  backend: z.string(),
  /** False if anyone who can read this user's files can also decrypt the secrets. */
  protected: z.boolean(),
  message: z.string(),
})
export type VaultStatus = z.infer<typeof vaultStatusSchema>

export const appStatusSchema = z.object({
  version: z.string(),
  host: z.enum(['electron', 'loopback', 'command']),
  pid: z.number().int(),
  dataFolder: z.string(),
  caFile: z.string(),
  receiver: receiverStatusSchema,
  /** Base URL of the sandbox service; null if it isn't running. */
  sandbox: z.string().nullable(),
  store: storeStatusSchema,
  vault: vaultStatusSchema,
})
export type AppStatus = z.infer<typeof appStatusSchema>

/** The name of the check of the public URL, which scripts read. */
export const PUBLIC_URL_CHECK = 'public address'

/** One line of `doctor`. `fix` is null if nothing needs fixing. */
export const doctorCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().nullable(),
})
export type DoctorCheck = z.infer<typeof doctorCheckSchema>

// A tunnel that gives the receiver a public URL, and the result of testing that URL.

export const tunnelProviderSchema = z.enum(['cloudflared', 'ngrok'])
export type TunnelProvider = z.infer<typeof tunnelProviderSchema>

/**
 * The result of a test request to the public URL, which should arrive at this receiver. `reached`: it arrived unchanged. `altered`:
 * it arrived changed. `no-answer`: it arrived, but the response was lost. `elsewhere`: another server responded. `unreachable`: no
 * response.
 */
export const addressTestSchema = z.object({
  url: z.string(),
  at: z.iso.datetime(),
  outcome: z.enum(['reached', 'altered', 'no-answer', 'elsewhere', 'unreachable']),
  /** The finding and its fix, as sentences. */
  message: z.string(),
  /** Status of the response; null if there was none. */
  status: z.number().int().nullable(),
  ms: z.number(),
})
export type AddressTest = z.infer<typeof addressTestSchema>

export const tunnelStatusSchema = z.object({
  /** `starting`: the tool is running but hasn't printed a URL yet. `stopped`: by request, or by itself; `problem` then says why. */
  state: z.enum(['off', 'starting', 'up', 'stopped']),
  provider: tunnelProviderSchema.nullable(),
  /** The tunnel's public URL; null if it isn't up. */
  url: z.string().nullable(),
  /** The receiver URL that it forwards to. */
  target: z.string().nullable(),
  problem: z.string().nullable(),
  /** Earlier tunnel URLs, newest first. Hooks that still point to one of them receive nothing. */
  earlier: z.array(z.string()),
  /** The last test of the current public URL, including a manually entered one; null if not tested yet. */
  test: addressTestSchema.nullable(),
})
export type TunnelStatus = z.infer<typeof tunnelStatusSchema>

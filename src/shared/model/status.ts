/** The state of the running application, as its window and `doctor` show it. */
import { z } from 'zod'

export const receiverStatusSchema = z.object({
  /** `paused`: listening, and answering 503 without storing, so that the service tries again. `off`: this core runs no receiver. */
  state: z.enum(['listening', 'paused', 'failed', 'off']),
  /** `https://127.0.0.1:PORT`, null where it does not listen. */
  url: z.string().nullable(),
  /** The public address that stands in front of it, null where none is set. */
  publicUrl: z.string().nullable(),
  /** The plain-HTTP address for tunnels, null where none was asked for. */
  httpUrl: z.string().nullable(),
  /** Why it failed, as a sentence; null otherwise. */
  problem: z.string().nullable(),
})
export type ReceiverStatus = z.infer<typeof receiverStatusSchema>

export const searchStatusSchema = z.object({
  /**
   * `opening`: not known yet. `checking`: after an unclean stop, what the index holds is compared with what is stored. `filling`:
   * many deliveries are not indexed yet. `off`: there is no index. Searches give the same answers in every state.
   */
  state: z.enum(['opening', 'checking', 'filling', 'ready', 'off']),
  /** Deliveries not indexed yet, about. */
  left: z.number().int(),
})
export type SearchStatus = z.infer<typeof searchStatusSchema>

export const storeStatusSchema = z.object({
  /**
   * `failing`: the last write failed; deliveries are answered 503 until one succeeds. `damaged`: pages of the database file can't be
   * read; what is on others can, and new deliveries are stored for as long as that works.
   */
  state: z.enum(['ok', 'failing', 'damaged']),
  problem: z.string().nullable(),
  deliveries: z.number().int(),
  /** Size of the database files, in bytes. */
  bytes: z.number().int(),
  search: searchStatusSchema,
})
export type StoreStatus = z.infer<typeof storeStatusSchema>

export const vaultStatusSchema = z.object({
  /** Which back end seals new secrets: `safe-storage`, `keyring` or `file`. */
  backend: z.string(),
  /** False where whoever reads this user's files can open the secrets too. */
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
  /** Base URL of the sandbox service, null where it does not run. */
  sandbox: z.string().nullable(),
  store: storeStatusSchema,
  vault: vaultStatusSchema,
})
export type AppStatus = z.infer<typeof appStatusSchema>

/** One line of `doctor`. `fix` is null where nothing needs doing. */
export const doctorCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().nullable(),
})
export type DoctorCheck = z.infer<typeof doctorCheckSchema>

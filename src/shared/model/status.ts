/** State of the app and its parts, and the checks of `countersign doctor`. */
import { z } from 'zod'

export const receiverStatusSchema = z.object({
  /**
   * `paused`: responds 503 without storing, so that the service retries. `off`: no receiver runs.
   */
  state: z.enum(['listening', 'paused', 'failed', 'off']),
  url: z.string().nullable(),
  publicUrl: z.string().nullable(),
  httpUrl: z.string().nullable(),
  problem: z.string().nullable(),
})
export type ReceiverStatus = z.infer<typeof receiverStatusSchema>

const searchStatusSchema = z.object({
  /** `filling`: many deliveries aren't indexed yet, which never changes results. */
  state: z.enum(['opening', 'filling', 'ready', 'off']),
  left: z.number().int(),
})
export type SearchStatus = z.infer<typeof searchStatusSchema>

const storeStatusSchema = z.object({
  /**
   * `failing`: the last write failed; deliveries get a 503. `damaged`: some pages of the database
   * can't be read.
   */
  state: z.enum(['ok', 'failing', 'damaged']),
  problem: z.string().nullable(),
  deliveries: z.number().int(),
  bytes: z.number().int(),
  search: searchStatusSchema,
})
export type StoreStatus = z.infer<typeof storeStatusSchema>

const vaultStatusSchema = z.object({
  /** `keyring` or `file`. */
  backend: z.string(),
  /** False if anyone who reads this user's files can decrypt the secrets. */
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
  sandbox: z.string().nullable(),
  store: storeStatusSchema,
  vault: vaultStatusSchema,
})
export type AppStatus = z.infer<typeof appStatusSchema>

/** Name of a check that scripts read. */
export const PUBLIC_URL_CHECK = 'public address'

export const doctorCheckSchema = z.object({
  name: z.string(),
  outcome: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().nullable(),
})
export type DoctorCheck = z.infer<typeof doctorCheckSchema>

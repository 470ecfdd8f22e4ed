/** Commands that export deliveries, mask texts, and import exports or copied requests. */
import { z } from 'zod'
import { importOutcomeSchema } from '../../model/import-outcome.ts'
import { signatureReportSchema } from '../../model/signature.ts'
import { sharingReportSchema } from '../../model/sharing.ts'
import { columnPathsSchema } from '../../model/body-columns.ts'
import { option } from '../../model/field-words.ts'
import { command } from './command.ts'

export const exportFormatSchema = z.enum(['jsonl', 'har', 'csv', 'curl', 'test'])
export type ExportFormat = z.infer<typeof exportFormatSchema>

export const testLanguageSchema = z.enum(['node', 'python', 'vitest', 'jest'])
export type TestLanguage = z.infer<typeof testLanguageSchema>

/**
 * `credentials`: known secrets, credential headers and hooks' custom headers. `strict`: all headers
 * that a hook can set (section 4.3).
 */
export const maskingKindSchema = z.enum(['none', 'credentials', 'strict']).default('none')
export type MaskingKind = z.infer<typeof maskingKindSchema>

const count = z.number().int()
const pathList = z.array(z.string().min(1).max(1_000)).max(200).default([])
/** A century in milliseconds. */
const MOST_SHIFT_MS = 36_500 * 86_400_000

const maskingInput = z.object({ ids: z.array(z.string().min(1)).max(2), masked: maskingKindSchema })

const MOST_URL_CHARACTERS = 131_072
/** Characters of an import per message; each takes up to six bytes. */
export const IMPORT_CHUNK_CHARACTERS = 131_072
/** Base64 characters of an encrypted file per message. */
export const DECRYPT_CHUNK_CHARACTERS = 131_072
export const EXPORT_CHUNK_DELIVERIES = 64

export const exchangeCommands = {
  /**
   * Exports deliveries. Deleted ones, and those that the format can't express, have no entry.
   * @returns `count`: how many of `seqs` were read; the rest needs another call.
   */
  'exchange.export': command(
    z.object({
      seqs: z.array(z.number().int()).min(1).max(EXPORT_CHUNK_DELIVERIES),
      format: exportFormatSchema,
      language: testLanguageSchema.default('node'),
      /** JSON paths, whose values CSV has as columns. */
      columns: columnPathsSchema.default([]),
      /**
       * Includes deliveries that no secret verifies in tests; a correct handler may reject them.
       */
      unverified: z.boolean().default(false),
      includeSecrets: option(
        z.boolean().default(false),
        'include secrets and header values; with curl, include the hook secret',
      ),
    }),
    z.object({ entries: z.array(z.string()), count }),
  ),
  /**
   * Shares deliveries with replaced values, signed again with throw-away secrets, in pieces; the
   * first has no `stream`. A preview has no entries.
   * @returns `count`: how many of `seqs` were read; the rest needs another call.
   */
  'exchange.share': command(
    z.object({
      stream: z.string().nullable(),
      seqs: z.array(z.number().int()).max(EXPORT_CHUNK_DELIVERIES),
      ends: z.boolean(),
      preview: z.boolean().default(false),
      keep: pathList,
      replace: pathList,
      shiftMs: z.number().int().min(-MOST_SHIFT_MS).max(MOST_SHIFT_MS).default(0),
      /** Passphrase that encrypts the capture, in each piece. */
      passphrase: z.string().min(1).nullable().default(null),
    }),
    z.object({
      stream: z.string(),
      entries: z.array(z.string()),
      /** Bytes in place of entries, with a passphrase. */
      encrypted: z.base64().nullable(),
      count,
      shared: count,
      report: sharingReportSchema,
    }),
  ),
  /** Masks known secrets, and header values of the deliveries `ids`. */
  'exchange.mask': command(maskingInput.extend({ value: z.json() }), z.object({ value: z.json() })),
  /** Finds the places to mask; if `isCut`, also a last word that may begin a secret. */
  'exchange.places': command(
    maskingInput.extend({ text: z.string(), isCut: z.boolean() }),
    z.object({ places: z.array(z.object({ start: count, end: count })) }),
  ),
  /**
   * Imports a JSON Lines export in pieces; the first has no `stream`. Known IDs stay unchanged; an
   * unreadable line is rejected on its own.
   */
  'exchange.import': command(
    z.object({
      stream: z.string().nullable(),
      text: z.string().max(IMPORT_CHUNK_CHARACTERS),
      ends: z.boolean(),
    }),
    z.object({ stream: z.string(), outcome: importOutcomeSchema }),
  ),
  /**
   * Decrypts a file in the format of age in pieces; the first has no `stream`.
   * @returns the bytes that are ready; all once a piece `ends`.
   */
  'exchange.decrypt': command(
    z.object({
      stream: z.string().nullable(),
      passphrase: z.string().min(1),
      base64: z.base64().max(DECRYPT_CHUNK_CHARACTERS),
      ends: z.boolean(),
    }),
    z.object({ stream: z.string(), base64: z.base64() }),
  ),
  /**
   * Verifies a copied request, and stores it if `keep`. The first valid of `bodies` counts, else
   * the first.
   */
  'exchange.verify': command(
    z.object({
      request: z.object({
        method: z.string().min(1).max(100),
        url: z.string().max(MOST_URL_CHARACTERS).nullable(),
        path: z.string().min(1).max(MOST_URL_CHARACTERS),
        headers: z.array(z.tuple([z.string(), z.string().max(MOST_URL_CHARACTERS)])).max(1_000),
        bodies: z.array(z.base64()).min(1).max(8),
        at: z.iso.datetime({ offset: true }).nullable(),
      }),
      secret: z.string().min(1).optional(),
      url: z.string().min(1).optional(),
      /** Time of receipt, for the freshness. */
      at: z.iso.datetime({ offset: true }).nullable().default(null),
      keep: z.boolean().default(false),
    }),
    z.object({
      report: signatureReportSchema,
      event: z.string().nullable(),
      mayBeCopied: z.boolean(),
      delivery: z.string().nullable(),
    }),
  ),
} as const

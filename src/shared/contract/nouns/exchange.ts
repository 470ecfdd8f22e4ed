/** Commands that export deliveries in several formats and import them again as evidence. */
import { z } from 'zod'
import { importOutcomeSchema } from '../../model/import-outcome.ts'
import { signatureReportSchema } from '../../model/signature.ts'
import { option } from '../../model/field-words.ts'
import { command } from './command.ts'

export const exportFormatSchema = z.enum(['jsonl', 'har', 'curl', 'test'])
export type ExportFormat = z.infer<typeof exportFormatSchema>

export const testLanguageSchema = z.enum(['node', 'python', 'vitest', 'jest'])
export type TestLanguage = z.infer<typeof testLanguageSchema>

/**
 * Known secrets are masked wherever they occur, unless `none`. `credentials`: also the values of credential headers and of hooks' custom
 * headers, for the user's own eyes. `strict`: the values of all headers that a hook can set (section 4.3), for a file or an issue.
 */
export const maskingKindSchema = z.enum(['none', 'credentials', 'strict']).default('none')
export type MaskingKind = z.infer<typeof maskingKindSchema>

const count = z.number().int()

const about = z.object({ ids: z.array(z.string().min(1)).max(2), masked: maskingKindSchema })

/** Characters of a copied request's URL and of each header. */
const MOST_HEAD = 131_072
/** Characters in a piece of an import: a character takes up to six bytes of a message. */
export const PIECE_CHARACTERS = 131_072
/** Deliveries in a piece of an export. */
export const MOST_EXPORTED = 64

export const exchangeCommands = {
  /**
   * Writes these deliveries in the format, or as many of the first ones as fit in one response:
   * `count`. Those that are deleted by now, or that the format can't express, have no entry. Custom
   * header values and known secrets are masked unless `includeSecrets` is set.
   */
  'exchange.export': command(
    z.object({
      seqs: z.array(z.number().int()).min(1).max(MOST_EXPORTED),
      format: exportFormatSchema,
      language: testLanguageSchema.default('node'),
      /**
       * In tests: also deliveries that no known secret verifies, which a correct handler may
       * reject.
       */
      unverified: z.boolean().default(false),
      includeSecrets: option(
        z.boolean().default(false),
        'include secrets and header values; with curl, include the hook secret',
      ),
    }),
    z.object({ entries: z.array(z.string()), count }),
  ),
  /** Masks texts before printing: known secrets, and masked header values of the named deliveries, which the texts may repeat. */
  'exchange.mask': command(about.extend({ value: z.json() }), z.object({ value: z.json() })),
  /** Finds the places of a text that masking hides. `isCut`: only its start is stored. */
  'exchange.places': command(
    about.extend({ text: z.string(), isCut: z.boolean() }),
    z.object({ places: z.array(z.object({ start: count, end: count })) }),
  ),
  /**
   * Imports a JSON Lines export as its text arrives; the first piece has no `stream`. Deliveries
   * with a known ID are left unchanged; an unreadable line is rejected on its own. The outcome
   * counts the lines stored so far.
   */
  'exchange.import': command(
    z.object({
      stream: z.string().nullable(),
      text: z.string().max(PIECE_CHARACTERS),
      /** Whether this is the last piece. */
      ends: z.boolean(),
    }),
    z.object({ stream: z.string(), outcome: importOutcomeSchema }),
  ),
  /**
   * Verifies a request copied from elsewhere, with the known hooks or a given secret and registered URL. `keep` stores it as
   * reported. The first body with a valid signature counts, else the first.
   */
  'exchange.verify': command(
    z.object({
      request: z.object({
        method: z.string().min(1).max(100),
        /** Complete if known. */
        url: z.string().max(MOST_HEAD).nullable(),
        path: z.string().min(1).max(MOST_HEAD),
        headers: z.array(z.tuple([z.string(), z.string().max(MOST_HEAD)])).max(1_000),
        bodies: z.array(z.base64()).min(1).max(8),
        at: z.iso.datetime({ offset: true }).nullable(),
      }),
      secret: z.string().min(1).optional(),
      url: z.string().min(1).optional(),
      /** When it was received; the freshness is unknown without it and without the request's own time. */
      at: z.iso.datetime({ offset: true }).nullable().default(null),
      keep: z.boolean().default(false),
    }),
    z.object({
      report: signatureReportSchema,
      event: z.string().nullable(),
      /** Whether copying may have changed the body: only if nothing else explains the signature. */
      mayBeCopied: z.boolean(),
      /** ID of the stored delivery; null if it wasn't kept. */
      delivery: z.string().nullable(),
    }),
  ),
} as const

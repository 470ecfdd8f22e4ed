/** Commands that export deliveries in several formats and import them again as evidence. */
import { z } from 'zod'
import { signatureReportSchema } from '../../model/signature.ts'
import { option } from '../../model/field-words.ts'
import { command, deliveryRefs } from './command.ts'

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
/** Maximum number of lines per call. */
export const MOST_LINES = 500
/** Characters in a piece of a long line: a character takes up to six bytes of a message. */
export const PIECE_CHARACTERS = 131_072

export const exchangeCommands = {
  /**
   * A piece of an export: as many deliveries from seq `to` up to `from`, both included, as fit in one response, oldest first, each
   * in the format. `next` is the `to` of the next call; null at the end. Custom header values and known secrets are masked unless
   * `includeSecrets` is set.
   */
  'exchange.export': command(
    z.object({
      query: z.string().max(4_000).optional(),
      /** These deliveries instead of a query's matches. */
      ids: deliveryRefs.optional(),
      from: z.number().int().optional(),
      to: z.number().int().optional(),
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
    z.object({ entries: z.array(z.string()), next: z.number().int().nullable() }),
  ),
  /** Masks texts before printing: known secrets, and masked header values of the named deliveries, which the texts may repeat. */
  'exchange.mask': command(about.extend({ value: z.json() }), z.object({ value: z.json() })),
  /** Finds the places of a text that masking hides. `isCut`: only its start is stored. */
  'exchange.places': command(
    about.extend({ text: z.string(), isCut: z.boolean() }),
    z.object({ places: z.array(z.object({ start: count, end: count })) }),
  ),
  /**
   * Imports lines of a JSON Lines export. Deliveries with a known ID are left unchanged; an unreadable line is rejected on its own.
   * `begun`: the first line completes the one started with `exchange.importPiece`.
   */
  'exchange.import': command(
    z.object({
      lines: z.array(z.string()).min(1).max(MOST_LINES),
      begun: z.string().nullable().default(null),
    }),
    z.object({
      imported: z.number().int(),
      known: z.number().int(),
      /** `line`: index in the given lines, from 0. */
      refused: z.array(z.object({ line: z.number().int(), reason: z.string() })),
    }),
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
  /**
   * Receives a piece of a line that is longer than a message; null starts one. The line is kept for a minute or until another one
   * starts; `exchange.import` completes it.
   */
  'exchange.importPiece': command(
    z.object({ begun: z.string().nullable(), text: z.string().max(PIECE_CHARACTERS) }),
    z.object({ begun: z.string() }),
  ),
} as const

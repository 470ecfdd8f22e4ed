/** Commands that move deliveries between machines: out in a format, and in again as the evidence that they are. */
import { z } from 'zod'
import { command, deliveryRefs } from './command.ts'

export const exportFormatSchema = z.enum(['jsonl', 'har', 'curl'])
export type ExportFormat = z.infer<typeof exportFormatSchema>

/** Texts that one call masks. */
export const MOST_TEXTS = 1_000
/** Lines that one call takes. */
export const MOST_LINES = 500
/** Characters of a piece of a long line: a character takes up to six bytes of a message. */
export const PIECE_CHARACTERS = 131_072

export const exchangeCommands = {
  /**
   * A piece of an export: deliveries from seq `to` up to `from`, both included, oldest first, each in the format; as many as one
   * answer carries. `next` is the `to` to go on with; null where all were given. Custom header values and known secrets
   * are masked unless `includeSecrets` asks for them.
   */
  'exchange.export': command(
    z.object({
      query: z.string().max(4_000).optional(),
      /** These, in place of what a query finds. */
      ids: deliveryRefs.optional(),
      from: z.number().int().optional(),
      to: z.number().int().optional(),
      format: exportFormatSchema,
      includeSecrets: z.boolean().default(false),
    }),
    z.object({ entries: z.array(z.string()), next: z.number().int().nullable() }),
  ),
  /**
   * Texts as they are printed: without known secrets, and without the values of custom headers of the deliveries named, which what is
   * printed of them may repeat.
   */
  'exchange.mask': command(
    z.object({ ids: z.array(z.string().min(1)).max(2), texts: z.array(z.string()).max(MOST_TEXTS) }),
    z.object({ texts: z.array(z.string()) }),
  ),
  /**
   * Takes lines of a JSON Lines export. What is known by its id is left as it is; a line that cannot be read is refused alone.
   * `begun`: the first of them is the end of the line that was begun so with `exchange.importPiece`.
   */
  'exchange.import': command(
    z.object({ lines: z.array(z.string()).min(1).max(MOST_LINES), begun: z.string().nullable().default(null) }),
    z.object({
      imported: z.number().int(),
      known: z.number().int(),
      /** `line`: its place among those given, from 0. */
      refused: z.array(z.object({ line: z.number().int(), reason: z.string() })),
    }),
  ),
  /**
   * Takes a piece of a line that is longer than a message; null begins one. It is held for a minute, and until another one begins;
   * `exchange.import` takes it with its end.
   */
  'exchange.importPiece': command(
    z.object({ begun: z.string().nullable(), text: z.string().max(PIECE_CHARACTERS) }),
    z.object({ begun: z.string() }),
  ),
} as const

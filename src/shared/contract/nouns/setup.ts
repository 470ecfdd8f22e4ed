/** Commands about the setup file, `countersign.json`. */
import { z } from 'zod'
import { setupPlanSchema, setupSourceSchema } from '../../model/setup.ts'
import { command, live } from './command.ts'

/** Source; null for the file that last described this data folder. */
const source = setupSourceSchema.nullable().default(null)

export const setupCommands = {
  /**
   * Compares a file with the data folder; `problem` says why the file can't be read. All are null
   * without a file.
   */
  'setup.plan': command(
    z.object({ source }),
    z.object({
      file: z.string().nullable(),
      plan: setupPlanSchema.nullable(),
      problem: z.string().nullable(),
    }),
  ),
  /** Brings the data folder to what the file says, in one transaction; removes nothing. */
  'setup.apply': command(
    z.object({
      source,
      /** Entered secrets by place. */
      secrets: setupSourceSchema.shape.secrets.default({}),
      live: live('allow changes to live environments'),
    }),
    z.object({ plan: setupPlanSchema, undo: z.string() }),
  ),
  /** Undoes an `apply` while this process runs. */
  'setup.undo': command(z.object({ undo: z.string() }), z.object({})),
  /** Describes the data folder as a file; `text` is the present file, whose references stay. */
  'setup.describe': command(
    z.object({ file: z.string().min(1), text: z.string().nullable() }),
    z.object({
      text: z.string(),
      files: z.array(z.object({ path: z.string(), text: z.string() })),
      /** Bodies of the named requests. */
      bodies: z.array(z.object({ path: z.string(), base64: z.base64() })),
      /** Secrets that the text names by new variables. */
      variables: z.array(z.string()),
    }),
  ),
} as const

/** Name of a composed request, unique without regard to the case of ASCII letters. */
import { z } from 'zod'

const MOST_CHARACTERS = 60

export const requestNameSchema = z
  .string()
  .trim()
  .max(MOST_CHARACTERS, { error: `A name can have up to ${MOST_CHARACTERS} characters` })
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u, {
    error: 'Use letters, digits, dots, hyphens and underscores, such as big-refund',
  })

/** One or more CA certificates in PEM that must verify an endpoint's certificate. */
import { z } from 'zod'

/** Maximum length in characters. A system's complete list takes about 230,000. */
export const MOST_AUTHORITY = 262_144

/** Null: any certificate is accepted on this computer. */
export const targetCaSchema = z.string().max(MOST_AUTHORITY).nullable()

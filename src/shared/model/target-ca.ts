/** A certificate authority that an endpoint's certificate has to verify with, as it is given: PEM, one or several after another. */
import { z } from 'zod'

/** Characters: the list that a whole system trusts has some 230,000. */
export const MOST_AUTHORITY = 262_144

/** Null: none, so that on this machine any certificate is taken. */
export const targetCaSchema = z.string().max(MOST_AUTHORITY).nullable()

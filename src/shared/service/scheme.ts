/** The card schemes of the service (section 1). */
export const schemes = ['visa', 'mastercard', 'amex'] as const
export type Scheme = (typeof schemes)[number]

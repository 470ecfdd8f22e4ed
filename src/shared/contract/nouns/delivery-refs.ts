/** Deliveries that a call names one by one. */
import { z } from 'zod'

/** More are named by a query. */
export const MOST_NAMED = 10_000

/** Ids of deliveries; `latest` and `latest:EVENT` are ids too. */
export const deliveryRefs = z.array(z.string().min(1)).min(1).max(MOST_NAMED)

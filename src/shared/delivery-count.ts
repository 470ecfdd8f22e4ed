import { counted } from './counted.ts'

/** How many deliveries, in words: `1 delivery`, `1,234 deliveries`. */
export function deliveryCount(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}

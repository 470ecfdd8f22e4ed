/** How many deliveries, in words: `1 delivery`, `1,234 deliveries`. */
export function deliveryCount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'delivery' : 'deliveries'}`
}

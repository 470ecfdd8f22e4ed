/** The deliveries of a replay in the order they are sent; a place in it is a number from 1. */
export class ReplayList {
  /** Number of deliveries selected. */
  readonly #selected: number
  /** Number of places that send the selection, once or repeatedly. */
  readonly #planned: number
  /** The selected deliveries by seq, then those sent again because the program ended during their send. */
  readonly #seqs: Float64Array

  constructor(seqs: Float64Array, selected: number, rounds: number) {
    this.#seqs = seqs
    this.#selected = selected
    this.#planned = selected * rounds
  }

  get places(): number {
    return this.#planned + this.#seqs.length - this.#selected
  }

  /** Returns the seq of the delivery at a place; zero, which no delivery has, after the last place. */
  seqAt(place: number): number {
    const index =
      place <= this.#planned
        ? (place - 1) % this.#selected
        : place - 1 - this.#planned + this.#selected
    return this.#seqs[index] ?? 0
  }

  /** Returns the seqs at up to `most` places after one. */
  seqsAfter(place: number, most: number): number[] {
    const count = Math.max(0, Math.min(most, this.places - place))
    return Array.from({ length: count }, (_, index) => this.seqAt(place + 1 + index))
  }

  has(seq: number): boolean {
    return this.#seqs.includes(seq)
  }
}

/** The reader counts as being at the end within this distance. */
const NEAR_END_PX = 64
const MAX_STEPS = 8

type Anchor = { element: Element; rowKey: string; rowTop: number; top: number }

/**
 * Keeps a scrolled column where its reader is. At the end it follows what is added; anywhere else the piece of content
 * at the top of the view stays there, whatever changes its height above it.
 */
export class ScrollAnchor {
  /** Follows the end. */
  isFollowing = true
  #anchor: Anchor | undefined
  #lastTop = 0
  #card: Element | undefined
  readonly #scroller: HTMLElement

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller
  }

  get distanceToEnd(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller
    return scrollHeight - scrollTop - clientHeight
  }

  /** The column was scrolled, by the reader or by us. */
  onScroll(): void {
    const { scrollTop } = this.#scroller
    // Only moving up detaches: content that grew since is no sign of a reader who left.
    if (this.distanceToEnd <= NEAR_END_PX) this.isFollowing = true
    else if (scrollTop < this.#lastTop - 1) this.isFollowing = false
    this.#lastTop = scrollTop
    this.#anchor = this.isFollowing ? undefined : this.#find()
  }

  /** Something changed its height. To be called after layout, before the frame is drawn. */
  settle(): void {
    if (this.isFollowing) this.#moveToEnd()
    else if (this.#anchor) {
      const top = this.#topOf(this.#anchor)
      if (top !== undefined && Math.abs(top - this.#expected(this.#anchor)) >= 1)
        this.#moveTo(this.#scroller.scrollTop + top - this.#expected(this.#anchor))
    }
  }

  follow(): void {
    this.isFollowing = true
    this.#anchor = undefined
    this.settle()
  }

  /** The reader moved on purpose, for example with the keyboard: no longer at the end unless it is there. */
  release(): void {
    this.isFollowing = this.distanceToEnd <= NEAR_END_PX
    this.#lastTop = this.#scroller.scrollTop
    this.#anchor = this.isFollowing ? undefined : this.#find()
  }

  /** A card with buttons that is longer than the view is read from its beginning; its reader goes to its end. */
  #moveToEnd(): void {
    this.#moveTo(this.#scroller.scrollHeight)
    const card = this.#scroller.querySelector('.ck-card:has(.ck-card-actions)')
    if (!card || card === this.#card || this.#distance(card) >= 0) return
    this.#card = card
    this.#moveTo(this.#scroller.scrollTop + this.#distance(card))
    this.release()
  }

  #moveTo(top: number): void {
    this.#scroller.scrollTop = top
    this.#lastTop = this.#scroller.scrollTop
  }

  #expected(anchor: Anchor): number {
    return anchor.element.isConnected ? anchor.top : anchor.rowTop
  }

  #topOf(anchor: Anchor): number | undefined {
    if (anchor.element.isConnected) return this.#distance(anchor.element)
    const row = this.#scroller.querySelector(`[data-row="${CSS.escape(anchor.rowKey)}"]`)
    return row ? this.#distance(row) : undefined
  }

  #distance(element: Element): number {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top
  }

  /** The smallest piece of content that crosses the top of the view. */
  #find(): Anchor | undefined {
    const rows = this.#scroller.querySelectorAll('[data-row]')
    const row = this.#firstBelowTop(rows)
    if (!row) return undefined
    let element = row
    for (let i = 0; i < MAX_STEPS; i++) {
      const inner = this.#firstBelowTop(element.children)
      if (!inner) break
      element = inner
    }
    const rowKey = (row as HTMLElement).dataset.row ?? ''
    return { element, rowKey, rowTop: this.#distance(row), top: this.#distance(element) }
  }

  /** Pieces stand below each other, so a binary search finds it without measuring all of a long answer. */
  #firstBelowTop(pieces: ArrayLike<Element>): Element | undefined {
    let low = 0
    let high = pieces.length
    while (low < high) {
      const middle = (low + high) >> 1
      const { bottom } = pieces[middle]!.getBoundingClientRect()
      if (bottom - this.#scroller.getBoundingClientRect().top > 1) high = middle
      else low = middle + 1
    }
    return pieces[low]
  }
}

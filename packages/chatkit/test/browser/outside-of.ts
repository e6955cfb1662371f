/** Runs in the page: what reaches beyond its right edge, but for what scrolls or is cut by itself. */
export function outsideOf(): string[] {
  return [...document.querySelectorAll('.ck-root, .ck-root *')]
    .filter((element) => !element.closest('.ck-hidden, .ck-row-title, .ck-table table, .ck-code-body code, svg'))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && element.checkVisibility())
    .map((element) => `${element.tagName} ${element.className}`)
}

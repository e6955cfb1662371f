import { escapeText } from '../../http/escape-text.ts'
import type { Language } from '../../words/language.ts'
import { GUIDE_STYLE } from './guide-style.ts'
import { type PageName, PAGES, WORDS } from './guide-words.ts'
import { type Heading, markdownHtml } from './markdown-html.ts'

/** `name`: `null` for one that is not there. */
type Shown = { language: Language; name: PageName | null }

/** One page of the guide, with the way to all others. */
export function guidePage(markdown: string, { language, name }: Shown): string {
  const words = WORDS[language]
  const home = `/docs/${language}/`
  const { html, title, headings } = markdownHtml(markdown, home)
  const other = language === 'en' ? 'zh' : 'en'
  const next = name === null ? undefined : PAGES[PAGES.indexOf(name) + 1]
  const onward = next ? `<a href="${home}${next}">${words.pages[next]}</a>` : `<a href="/docs/api">${words.api}</a>`
  return `<!doctype html><html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(title)} · Parley</title><link rel="icon" href="data:,">
<style>${GUIDE_STYLE}</style></head><body><a class="skip" href="#text">${words.skip}</a>
<header><a class="mark" href="${home}">Parley <span>${words.guide}</span></a>
<p><a href="/docs/api">${words.api}</a> <a href="/">${words.console}</a> <a href="/docs/${other}/${name === null ? '' : pathOf(name)}" hreflang="${other}" lang="${other === 'zh' ? 'zh-CN' : 'en'}">${words.otherLanguage}</a></p></header>
<nav aria-label="${words.contents}">${PAGES.map((page) => linkHtml(page, { language, headings, isCurrent: page === name })).join('\n')}</nav>
<main id="text" tabindex="-1"><article>${html}
<p class="next">${words.next} ${onward}</p></article></main></body></html>`
}

function pathOf(name: PageName): string {
  return name === PAGES[0] ? '' : name
}

type Link = { language: Language; headings: readonly Heading[]; isCurrent: boolean }

function linkHtml(page: PageName, { language, headings, isCurrent }: Link): string {
  const words = WORDS[language]
  const link = `href="/docs/${language}/${pathOf(page)}"`
  if (!isCurrent) return `<a ${link}>${words.pages[page]}</a>`
  const parts = headings.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`).join('')
  return `<a ${link} aria-current="page">${words.pages[page]}</a><ul aria-label="${words.onThisPage}">${parts}</ul>`
}

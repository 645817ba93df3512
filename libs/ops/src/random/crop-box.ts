import type { CropBox } from '../image/crop.js'
import type { Draws } from './draws.js'

const TRIES = 10

/**
 * A part of an image whose share of the area lies in `scale` and whose width / height, drawn evenly on a log scale, in
 * `ratio`. When ten tries do not fit, the largest central part with a ratio in bounds.
 * Source: RandomResizedCrop.get_params in torchvision/transforms/transforms.py.
 */
export function drawCropBox(
  [height, width]: readonly [height: number, width: number],
  [leastScale, mostScale]: readonly [number, number],
  [leastRatio, mostRatio]: readonly [number, number],
  draws: Draws,
): CropBox {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const area = height * width * draws.between(leastScale, mostScale)
    const ratio = Math.exp(draws.between(Math.log(leastRatio), Math.log(mostRatio)))
    const columns = Math.round(Math.sqrt(area * ratio))
    const rows = Math.round(Math.sqrt(area / ratio))
    if (columns > 0 && columns <= width && rows > 0 && rows <= height) {
      return { offset: [draws.below(height - rows + 1), draws.below(width - columns + 1)], size: [rows, columns] }
    }
  }
  const own = width / height
  const rows = own < leastRatio ? Math.max(1, Math.min(height, Math.round(width / leastRatio))) : height
  const columns = own > mostRatio ? Math.max(1, Math.min(width, Math.round(height * mostRatio))) : width
  return { offset: [(height - rows) >> 1, (width - columns) >> 1], size: [rows, columns] }
}

"""Writes golden values, computed by TensorFlow, to test/fixtures/golden.

Usage: make-golden.sh [part ...]   with parts out of: order datasets records formats images image-ops decoders casts ... (all where none is named)
"""

import sys

import golden_augment
import golden_casts
import golden_datasets
import golden_formats
import golden_decoders
import golden_image_ops
import golden_images
import golden_order
import golden_records
import golden_sources
import golden_text_audio
import golden_training

PARTS = {
    "order": golden_order.write,
    "datasets": golden_datasets.write,
    "records": golden_records.write,
    "formats": golden_formats.write,
    "images": golden_images.write,
    "image-ops": golden_image_ops.write,
    "decoders": golden_decoders.write,
    "casts": golden_casts.write,
    "sources": golden_sources.write,
    "text-audio": golden_text_audio.write,
    "augment": golden_augment.write,
    "training": golden_training.write,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
        print("wrote", name)

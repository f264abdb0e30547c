"""Every figure about cleaning: repair, language, the whole stage, what stays, formulas.

Each part is a script of its own as well. Real files beside the demo's come from CORPUSFORGE_DATA.

    corpusforge run pipelines/demo.yaml --until extract && python benchmarks/clean.py
"""

import bench_clean
import bench_ftfy
import bench_language
import check_formulas

PARTS = (bench_clean, check_formulas, bench_language, bench_ftfy)


def main():
    for part in PARTS:
        print(f"\n== {part.__doc__.splitlines()[0]}\n", flush=True)
        part.main()


if __name__ == "__main__":
    main()

"""Styles: presets, texts, dicts and single keys; mistakes are told with the library's sentence."""

import json

import kit
import limber
import numpy as np


class Styles(kit.Case):
    def test_presets_texts_dicts_and_keys_go_on_top_of_each_other(self):
        style = limber.Style("cartoon").read('{"effects": {"squash": {"linear": 0.2}}, /* a comment */ }')
        style.read({"effects": {"floppy": {"angular": np.float32(0.5)}}}).set("strength", 0.75)
        self.assertEqual(style.dict["effects"]["squash"]["linear"], 0.2)
        self.assertEqual(style.dict["effects"]["floppy"]["angular"], 0.5)
        self.assertEqual(style.dict["strength"], 0.75)
        self.assertEqual(limber.Style(style).text, style.text)
        self.assertEqual(limber.Style().read(style.text).text, style.text)
        self.assertEqual(limber.Style(style.dict).dict, style.dict)

    def test_values_of_every_kind(self):
        style = limber.Style()
        style.set("effects.floppy.angular", "0.4 * sin(t)")
        style.set("skinning", "dualquat")
        style.set("wind", np.array([1, 0, 0]))
        style.set("exaggerate.stretch_skin", False)
        style.set("joints", {"Head": {"floppy": 1.5}})
        found = style.dict
        self.assertEqual(found["effects"]["floppy"]["angular"], "0.4 * sin(t)")
        self.assertEqual(found["wind"], [1, 0, 0])
        self.assertIs(found["exaggerate"]["stretch_skin"], False)

    def test_settings_of_filters_may_be_formulas_of_time(self):
        character = limber.load(kit.sample("flower")).character

        def frame(frequency):
            floppy = {"angular": 0.4, "filter": {"type": "spring", "frequency": frequency}}
            return limber.Pipeline(character, {"effects": {"floppy": floppy}}).evaluate(0, 0.5).positions.copy()

        self.near(frame(2), frame("2 + 0 * t"), 0)
        self.assertGreater(np.abs(frame(2) - frame("2 + 4 * t")).max(), 1e-3)

    def test_style_files(self):
        path = self.folder / "mine.json"
        path.write_text(limber.Style("jelly").text)
        self.assertEqual(limber.Style.load(path).text, limber.Style("jelly").text)

    def test_mistakes(self):
        style = limber.Style("cartoon")
        before = style.text
        wrong = self.refuses("did you mean 'cartoon'?", limber.Style, "carton")
        self.assertIsInstance(wrong, ValueError)
        self.refuses("did you mean", style.set, "effects.flopy.angular", 1)
        formula = self.refuses("a value is missing", style.set, "effects.floppy.angular", "1 + * 2")
        self.assertIn("^", formula.detail)
        self.refuses("line 2", style.read, '{"effects":\n {"floppy": 3 4}}')
        for value in (float("nan"), object(), {1, 2}, 1j):
            self.refuses("no value of a style", style.set, "strength", value)
        for value in (None, 3, b"{}", []):
            self.refuses("must be text or a dict", style.read, value)
        self.refuses("zero character", style.set, "a\0b", 1)
        self.refuses("must be text", style.set, 3, 1)
        deep = {}
        for _ in range(100000):
            deep = {"a": deep}
        self.refuses("no value of a style", style.read, deep)
        with self.assertRaises(limber.LimberError):
            style.read("[" * 100000)
        self.assertEqual(style.text, before)

    def test_a_style_that_does_not_fit_says_so(self):
        character = limber.load(kit.sample("dog")).character
        self.refuses("Hed", limber.Pipeline, character, {"joints": {"Hed": {"floppy": 2}}})
        pipeline = limber.Pipeline(character, {"effects": {"floppy": {"angular": 0.3, "layer": "nothing"}}})
        self.assertTrue(any("nothing" in warning for warning in pipeline.warnings), pipeline.warnings)
        self.assertEqual(limber.Pipeline(character, "cartoon").warnings, [])

    def test_the_table_of_keys(self):
        keys = {key.path: key for key in limber.keys()}
        angular = keys["effects.floppy.angular"]
        self.assertEqual((angular.type, angular.unit), ("number", "s"))
        self.assertLess(angular.min, angular.max)
        self.assertIn("dualquat", keys["skinning"].choices)
        self.assertEqual(keys["skinning"].default, "linear")
        for key in keys.values():
            self.assertTrue(key.help, key.path)

    def test_the_presets_and_the_schema(self):
        names = [preset.name for preset in limber.presets()]
        self.assertIn("cartoon", names)
        for name in names:
            self.assertIsInstance(limber.Style(name).dict, dict)
        file = json.loads((kit.SOURCE / "schema" / "limber-style.schema.json").read_text())
        self.assertEqual(limber.schema(), file)

"""Run folders: what a training leaves behind, and how it is read again."""
